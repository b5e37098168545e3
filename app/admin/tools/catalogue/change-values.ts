import { z } from "zod";
import { labelOfValidity } from "#core/catalog/tool-prices.ts";
import { labelOfPlace } from "#core/catalog/works-on.ts";
import { formatPaise } from "#core/money.ts";
import { formatDateTime } from "#core/time.ts";
import { nameOfField } from "../../field-names.ts";

const optionSchema = z.object({
  label: z.string(),
  validityDays: z.number(),
  pricePaise: z.number(),
  originalPricePaise: z.number().nullable(),
});
const serverSchema = z.object({ id: z.string(), name: z.string(), url: z.string().nullable() });

/** A value of a field before or after an upload, as lines of text. Without lines there is no value. */
export function linesOfValue(field: string, value: unknown, timeZone: string): string[] {
  if (value === null || value === undefined || value === "") return [];
  if (Array.isArray(value))
    return value.flatMap((item) => (field === "worksOn" ? [labelOfPlace(item)] : lineOfItem(item)));
  if (typeof value === "boolean") return [value ? "Yes" : "No"];
  if (typeof value === "number") return [formatNumber(field, value)];
  if (typeof value === "string") {
    const isTime = field === "expiresAt" && !Number.isNaN(Date.parse(value));
    return [isTime ? formatDateTime(new Date(value), timeZone) : value];
  }
  return lineOfItem(value);
}

function formatNumber(field: string, value: number): string {
  if (field.endsWith("Paise")) return formatPaise(value);
  return field === "discountPercentage" ? `${value}%` : String(value);
}

function lineOfItem(item: unknown): string[] {
  const option = optionSchema.safeParse(item);
  if (option.success) {
    const { label, validityDays, pricePaise, originalPricePaise } = option.data;
    const original = originalPricePaise === null ? "" : `, was ${formatPaise(originalPricePaise)}`;
    const days = label === labelOfValidity(validityDays) ? "" : ` (${labelOfValidity(validityDays)})`;
    return [`${label}${days}: ${formatPaise(pricePaise)}${original}`];
  }
  const server = serverSchema.safeParse(item);
  if (server.success) return [server.data.url ? `${server.data.name}: ${server.data.url}` : server.data.name];
  if (typeof item !== "object" || item === null) return [String(item)];
  return Object.entries(item).flatMap(([name, part]) =>
    part === null || part === undefined ? [] : [`${nameOfField(name)}: ${String(part)}`],
  );
}
