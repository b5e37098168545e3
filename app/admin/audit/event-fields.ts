import { labelOfPlace } from "#core/catalog/works-on.ts";
import { formatPaise } from "#core/money.ts";
import { formatDateTime } from "#core/time.ts";
import { nameOfField } from "../field-names.ts";

/** A value of an event, named and as text. `before` is undefined for a value that is not a change. */
export interface EventField {
  name: string;
  before: string | undefined;
  after: string;
}

const NOTHING = "—";

/** What changed from which value to which, and the other facts of an event. */
export function fieldsOf(details: Readonly<Record<string, unknown>>, timeZone: string): EventField[] {
  const { before, after, ...facts } = details;
  const format = (name: string, value: unknown) => formatValue(name, value, timeZone);
  const [old, now] = [recordOf(before), recordOf(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])];
  const changes = names.map((name) => ({
    name: nameOfField(name),
    before: format(name, old.get(name)),
    after: format(name, now.get(name)),
  }));
  const rest = Object.entries(facts).map(([name, value]) => ({
    name: nameOfField(name),
    before: undefined,
    after: format(name, value),
  }));
  return [...changes.filter(({ before, after }) => before !== after), ...rest];
}

function recordOf(value: unknown): Map<string, unknown> {
  return new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);
}

const ISO_MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function formatValue(name: string, value: unknown, timeZone: string): string {
  if (value === null || value === undefined || value === "") return NOTHING;
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value === "number") return name.endsWith("Paise") ? formatPaise(value) : String(value);
  if (name === "worksOn" && typeof value === "string") return labelOfPlace(value);
  if (typeof value === "string") {
    return ISO_MOMENT.test(value) ? formatDateTime(new Date(value), timeZone) : value;
  }
  if (Array.isArray(value)) {
    if (value.length === 0) return NOTHING;
    const parts = value.map((part) => formatValue(name, part, timeZone));
    return parts.join(value.some((part) => typeof part === "object") ? "; " : ", ");
  }
  const parts = [...recordOf(value)].map(
    ([key, part]) => `${nameOfField(key)}: ${formatValue(key, part, timeZone)}`,
  );
  return parts.length === 0 ? NOTHING : parts.join(", ");
}
