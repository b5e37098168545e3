import { MAX_RUPEES, SMALLEST_PRICE_PAISE, TOOL_LIMITS, toOneLine } from "#core/catalog/limits.ts";
import { labelOfValidity, sortOptions } from "#core/catalog/rules.ts";
import { assignServerIds, slugify } from "#core/catalog/tool-editing/tool-record.ts";
import type { PricingOption, ToolServer } from "#db/tables/catalog.ts";
import { type Conversion, FieldReader, fitText } from "./field-reader.ts";
import type { OldDocument } from "./source.ts";

/** The validity of a tool that names none, in days. */
export const FALLBACK_DAYS = 30;

/** Tools that are sold by chat, by their slug. */
const CONTACT_ONLY = /^(?:stealth-writer|chatgpt-plus)$|(?:^|-)vpn(?:-|$)/;

/** The pages that the old shop had for tools of these names, and the names of purchases that opened them. */
export const OLD_PAGES: readonly { page: string; toolNames: readonly string[]; opens: readonly string[] }[] =
  [
    { page: "chatgpt", toolNames: ["ChatGPT Pro", "ChatGPT"], opens: ["ChatGPT Pro", "ChatGPT"] },
    {
      page: "aihumanizer",
      toolNames: ["AI Humanizer", "AI Humanizer Pro", "AI Humanizer Bundle", "AI Humanizer Bundle Pro"],
      opens: [
        "AI Humanizer",
        "AI Humanizer Pro",
        "AI Humanizer Bundle",
        "AI Humanizer Bundle Pro",
        "Stealth Writer",
        "Stealth Writer Pro",
        "Write Human",
        "Write Human Pro",
      ],
    },
  ];

/** The servers that the old pages listed. */
const OLD_SERVERS: Readonly<Record<string, readonly string[]>> = {
  chatgpt: ["Server 1", "Server 2", "Server 3"],
  aihumanizer: ["Write Human", "Stealth Writer", "Hix AI"],
};

/** Generated ids of the old database: about 20 random letters and digits, with both cases. */
const GENERATED_ID = /^(?=.*[A-Z])(?=.*[a-z])[A-Za-z0-9]{18,28}$/;

export const sameName = (a: string, b: string): boolean => a.trim().toLowerCase() === b.trim().toLowerCase();

export interface ConvertedTool {
  /** The address that the document's id, or else its name, gives. */
  slug: string;
  name: string;
  description: string;
  pricePaise: number;
  originalPricePaise: number | null;
  availableStock: number;
  isActive: boolean;
  contactOnly: boolean;
  features: string[];
  validityDays: number;
  category: string;
  badge: string | null;
  pricingOptions: PricingOption[];
  servers: ToolServer[];
  createdAt: Date | null;
  updatedAt: Date | null;
}

/** A tool without a readable price is not put on sale: 0 would mean that it is free. */
export function convertTool(document: OldDocument, timeZone: string): Conversion<ConvertedTool> {
  const reader = new FieldReader(document, timeZone);
  const { repairs } = reader;
  const typedName = reader.text("name", "toolName", "title");
  if (typedName === null) return { refused: "it has no name" };
  const name = fitText(reader, "name", toOneLine(typedName), TOOL_LIMITS.name);
  const slug = toolSlug(document.id, name);
  if (slug === "") return { refused: "neither its id nor its name has a letter or digit for an address" };
  if (slug !== document.id) repairs.push(`its address is /tools/${slug}`);

  const pricingOptions = convertOptions(reader, timeZone);
  const price = atMost(reader, "price", reader.paise("price", "amount"));
  const hasPrice = price !== null || pricingOptions.length > 0;
  if (!hasPrice) repairs.push("it has no readable price, so it is inactive");
  const pricePaise = raisedPrice(reader, price ?? 0);
  const typedOriginal = atMost(reader, "originalPrice", reader.paise("originalPrice", "oldPrice", "mrp"));
  const isBelow = typedOriginal !== null && typedOriginal > 0 && typedOriginal < pricePaise;
  if (isBelow) repairs.push("the original price is below the price and was left out");

  const isActive = reader.boolean("isActive", "active", "enabled");
  if (isActive === null) repairs.push("it does not say that it is active, so it is inactive");
  const validity = reader.days("validity", "validityDays", "duration");
  if (validity === null) repairs.push(`it has no validity, so it is ${FALLBACK_DAYS} days`);
  const description = reader.text("description", "details") ?? "";
  if (description === "") repairs.push("it has no description, so its name is shown");

  return {
    row: {
      slug,
      name,
      description: fitText(reader, "description", description || name, TOOL_LIMITS.description),
      pricePaise,
      originalPricePaise: isBelow ? null : typedOriginal || null,
      availableStock: convertStock(reader),
      isActive: (isActive ?? false) && hasPrice,
      contactOnly: CONTACT_ONLY.test(slug) && (pricePaise > 0 || pricingOptions.length > 0),
      features: convertFeatures(reader),
      validityDays: Math.min(validity ?? FALLBACK_DAYS, TOOL_LIMITS.validityDays),
      category: fitText(
        reader,
        "category",
        toOneLine(reader.text("category") ?? "other"),
        TOOL_LIMITS.category,
      ),
      badge: convertBadge(reader),
      pricingOptions,
      servers: oldServers(slug),
      createdAt: reader.moment("createdAt")?.value ?? null,
      updatedAt: reader.moment("updatedAt")?.value ?? null,
    },
    repairs,
  };
}

function oldServers(slug: string): ToolServer[] {
  const wanted = (OLD_SERVERS[slug] ?? []).map((name) => ({ name, url: null }));
  return wanted.length === 0 ? [] : assignServerIds(slug, { servers: wanted }, [], () => false);
}

function toolSlug(id: string, name: string): string {
  const page = OLD_PAGES.find(({ toolNames }) => toolNames.some((known) => sameName(known, name)));
  if (GENERATED_ID.test(id)) return page?.page ?? slugify(name);
  return slugify(id) || slugify(name);
}

function convertBadge(reader: FieldReader): string | null {
  const badge = reader.text("badge", "tag", "label");
  return badge === null ? null : fitText(reader, "badge", toOneLine(badge), TOOL_LIMITS.badge);
}

function convertStock(reader: FieldReader): number {
  const stock = reader.number("availableStock", "stock", "quantity");
  if (stock === null) return 0;
  const whole = Math.min(Math.max(0, Math.floor(stock)), TOOL_LIMITS.availableStock);
  if (whole !== stock) reader.repairs.push(`a stock of ${stock} became ${whole}`);
  return whole;
}

function atMost(reader: FieldReader, name: string, paise: number | null): number | null {
  if (paise === null || paise <= MAX_RUPEES * 100) return paise;
  reader.repairs.push(`${name} is more than ₹${MAX_RUPEES} and was left out`);
  return null;
}

function raisedPrice(reader: FieldReader, paise: number): number {
  if (paise === 0 || paise >= SMALLEST_PRICE_PAISE) return paise;
  reader.repairs.push("a price below one rupee became one rupee");
  return SMALLEST_PRICE_PAISE;
}

function convertFeatures(reader: FieldReader): string[] {
  const value = reader.raw("features", "benefits")?.value;
  const isText = typeof value === "string";
  const texts = isText ? value.split(/[,;\n]/) : Array.isArray(value) ? value : [];
  if (isText) reader.repairs.push("features is one text and was split at its commas");
  else if (value !== undefined && !Array.isArray(value))
    reader.repairs.push("features is not a list and was left out");
  const all = texts
    .filter((text): text is string => typeof text === "string")
    .map(toOneLine)
    .filter((text) => text !== "");
  if (all.length < texts.length) reader.repairs.push("features that are empty or no text were left out");
  const unique = [...new Set(all)];
  if (unique.length < all.length) reader.repairs.push("repeated features were left out");
  if (unique.length > TOOL_LIMITS.features)
    reader.repairs.push(`only the first ${TOOL_LIMITS.features} features were taken`);
  return unique
    .slice(0, TOOL_LIMITS.features)
    .map((text) => fitText(reader, "a feature", text, TOOL_LIMITS.feature));
}

function convertOptions(reader: FieldReader, timeZone: string): PricingOption[] {
  const value = reader.raw("pricingOptions", "pricing", "options")?.value;
  if (value === undefined) return [];
  const entries = Array.isArray(value)
    ? value
    : typeof value === "object" && value
      ? Object.values(value)
      : [];
  const options = new Map<number, PricingOption>();
  const labels = new Set<string>();
  for (const [at, entry] of entries.entries()) {
    const leaveOut = (why: string) => reader.repairs.push(`pricing option ${at + 1} ${why} and was left out`);
    if (typeof entry !== "object" || entry === null) {
      leaveOut("is not a pricing option");
      continue;
    }
    const fields = new FieldReader({ fields: { ...entry } }, timeZone);
    const pricePaise = fields.paise("price", "amount");
    const validityDays = fields.days("validity", "days", "duration", "label");
    const original = fields.paise("originalPrice", "oldPrice", "mrp");
    if (pricePaise === null || pricePaise <= 0) leaveOut("has no price");
    else if (validityDays === null || validityDays > TOOL_LIMITS.validityDays) leaveOut("has no validity");
    else if (options.has(validityDays)) leaveOut(`repeats the validity of ${validityDays} days`);
    else if (options.size === TOOL_LIMITS.pricingOptions) leaveOut("is one too many");
    else {
      const typed = toOneLine(fields.text("label", "name") ?? "").slice(0, TOOL_LIMITS.optionLabel);
      const label = typed === "" || labels.has(typed.toLowerCase()) ? labelOfValidity(validityDays) : typed;
      if (label !== typed) reader.repairs.push(`pricing option ${at + 1} is called "${label}"`);
      labels.add(label.toLowerCase());
      const price = raisedPrice(reader, Math.min(pricePaise, MAX_RUPEES * 100));
      const originalPricePaise = original !== null && original >= price ? original : null;
      if (original && originalPricePaise === null)
        reader.repairs.push(`the original price of option ${at + 1} is below its price and was left out`);
      options.set(validityDays, { label, validityDays, pricePaise: price, originalPricePaise });
      reader.repairs.push(...fields.repairs.map((repair) => `pricing option ${at + 1}: ${repair}`));
    }
  }
  return sortOptions([...options.values()]);
}
