import type { PricingOption, ToolServer } from "#db/tables/catalog.ts";
import {
  COUPON_CODE_PATTERN,
  COUPON_LIMITS,
  MAX_RUPEES,
  SERVICE_LENGTH,
  SERVICES,
  SMALLEST_PRICE_PAISE,
  TOOL_LIMITS,
  toOneLine,
} from "../catalog/limits.ts";
import { labelOfValidity, sortOptions } from "../catalog/rules.ts";
import { FieldReader, fitText } from "./field-reader.ts";
import type { OldDocument } from "./source.ts";

/** What became of a document: a row, with what had to be repaired, or the reason why there is none. */
export type Conversion<Row> = { row: Row; repairs: string[] } | { refused: string };

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

/** Lower-case letters and digits, joined by single hyphens. Empty when the text has none. */
function slugOf(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, TOOL_LIMITS.slug)
    .replace(/^-+|-+$/g, "");
}

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
      servers: serversNamed(slug, OLD_SERVERS[slug] ?? []),
      createdAt: reader.moment("createdAt")?.value ?? null,
      updatedAt: reader.moment("updatedAt")?.value ?? null,
    },
    repairs,
  };
}

/** Server rows with ids as the old pages had them: "chatgpt-server-1". */
export function serversNamed(slug: string, names: readonly string[], from = 1): ToolServer[] {
  return names.map((name, at) => ({ id: `${slug.slice(0, 45)}-server-${from + at}`, name, url: null }));
}

function toolSlug(id: string, name: string): string {
  const page = OLD_PAGES.find(({ toolNames }) => toolNames.some((known) => sameName(known, name)));
  if (GENERATED_ID.test(id)) return page?.page ?? slugOf(name);
  return slugOf(id) || slugOf(name);
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

export interface ConvertedCredential {
  service: string;
  email: string;
  password: string;
  isActive: boolean;
  createdAt: Date | null;
  updatedAt: Date | null;
}

export function convertCredential(document: OldDocument, timeZone: string): Conversion<ConvertedCredential> {
  const reader = new FieldReader(document, timeZone);
  const typed = reader.text("service", "serviceName", "tool", "toolName", "platform", "site", "name");
  const email = reader.text(
    "email",
    "emailAddress",
    "emailId",
    "mail",
    "username",
    "userName",
    "login",
    "user",
  );
  const password = reader.exactText("password", "pass", "passwd", "pwd", "passcode", "secret");
  if (typed === null) return { refused: "it names no service" };
  if (email === null) return { refused: "it has no e-mail address" };
  if (password === null) return { refused: "it has no password" };
  const letters = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^a-z0-9]/g, "")
      .replace(/pro$/, "");
  const service = SERVICES.find((listed) => letters(listed) === letters(typed)) ?? typed;
  if (service !== typed) reader.repairs.push(`the service "${typed}" is ${service}`);
  return {
    row: {
      service: fitText(reader, "service", toOneLine(service), SERVICE_LENGTH),
      email: fitText(reader, "email", toOneLine(email), 254),
      password,
      isActive: activeUnlessSaid(reader),
      createdAt: reader.moment("createdAt")?.value ?? null,
      updatedAt: reader.moment("updatedAt")?.value ?? null,
    },
    repairs: reader.repairs,
  };
}

/** The old shop treated codes, coupons and credentials as active unless a field said otherwise. */
const activeUnlessSaid = (reader: FieldReader): boolean =>
  reader.boolean("isActive", "active", "enabled") ?? true;

export interface ConvertedAccessCode {
  toolName: string;
  /** null: the document names none. */
  serverName: string | null;
  simpleCode: string;
  /** null: one is generated. */
  sessionCode: string | null;
  isActive: boolean;
  createdAt: Date | null;
  updatedAt: Date | null;
}

const SIMPLE_CODE_LENGTH = 200;
const SESSION_CODE_LENGTH = 500;

export function convertAccessCode(document: OldDocument, timeZone: string): Conversion<ConvertedAccessCode> {
  const reader = new FieldReader(document, timeZone);
  const toolName = reader.text("toolName", "tool", "toolId", "name");
  const simpleCode = reader.exactText("simpleCode", "code", "accessCode")?.trim();
  const sessionCode = reader.exactText("sessionCode", "session")?.trim();
  const serverName = reader.text("serverName", "server");
  if (toolName === null) return { refused: "it names no tool" };
  if (!simpleCode) return { refused: "it has no simple code" };
  if (simpleCode.length > SIMPLE_CODE_LENGTH) return { refused: "its simple code is too long" };
  const isTooLong = sessionCode !== undefined && sessionCode.length > SESSION_CODE_LENGTH;
  if (!sessionCode || isTooLong) reader.repairs.push("it has no usable session code, so one was generated");
  return {
    row: {
      toolName,
      serverName:
        serverName === null
          ? null
          : fitText(reader, "serverName", toOneLine(serverName), TOOL_LIMITS.serverName),
      simpleCode,
      sessionCode: isTooLong ? null : sessionCode || null,
      isActive: activeUnlessSaid(reader),
      createdAt: reader.moment("createdAt")?.value ?? null,
      updatedAt: reader.moment("updatedAt")?.value ?? null,
    },
    repairs: reader.repairs,
  };
}

export interface ConvertedCoupon {
  code: string;
  toolName: string;
  discountPercentage: number;
  isActive: boolean;
  usageLimit: number | null;
  /** The larger of both counters of the old shop. */
  uses: number;
  expiresAt: Date | null;
  lastUsed: Date | null;
  createdAt: Date | null;
  updatedAt: Date | null;
}

/** White space, and the invisible characters that chat apps add to copied text. */
const SPACES_AND_FORMAT = /[\s\p{Cf}]/gu;

/** A coupon code as the shop stores and compares it. */
export const normaliseCoupon = (text: string): string => text.replace(SPACES_AND_FORMAT, "").toUpperCase();

/** In one flow of the old shop the id of the document is the code. */
export function convertCoupon(document: OldDocument, timeZone: string): Conversion<ConvertedCoupon> {
  const reader = new FieldReader(document, timeZone);
  const typed = reader.text("code", "couponCode");
  if (typed === null) reader.repairs.push("its code is its id");
  const code = normaliseCoupon(typed ?? document.id);
  if (typed !== null && code !== typed) reader.repairs.push(`its code is ${code}`);
  const isCode = code.length <= COUPON_LIMITS.code && COUPON_CODE_PATTERN.test(code);
  if (!isCode) return { refused: "its code has characters that a buyer cannot enter, or is too long" };
  const toolName = reader.text("toolName", "tool", "toolId");
  if (toolName === null) return { refused: "it names no tool" };
  const discount = convertDiscount(reader);
  if (discount === null) return { refused: "it has no discount of at least 1 percent" };
  const limit = reader.number("usageLimit", "limit", "maxUses");
  const usageLimit =
    limit === null || limit < 1 ? null : Math.min(Math.floor(limit), COUPON_LIMITS.usageLimit);
  if (limit !== null && limit !== usageLimit)
    reader.repairs.push(`a usage limit of ${limit} is ${usageLimit ?? "unlimited"}`);
  const counters = ["timesUsed", "usedCount", "usageCount"].flatMap((name) => reader.number(name) ?? []);
  const uses = Math.min(Math.max(0, ...counters.map(Math.floor)), COUPON_LIMITS.usageLimit);
  if (new Set(counters).size > 1)
    reader.repairs.push(`its usage counters differ; the largest, ${uses}, is used`);
  const expiry = reader.moment("expiresAt", "expiryDate", "expiry", "validUntil");
  const isActive = activeUnlessSaid(reader);
  // Without its limit or its end it would give more than before.
  const isDoubtful = reader.unreadable.size > 0;
  if (isDoubtful) reader.repairs.push("it is inactive, because one of its fields cannot be read");
  return {
    row: {
      code,
      toolName,
      discountPercentage: discount,
      isActive: isActive && !isDoubtful,
      usageLimit,
      uses,
      expiresAt: expiry === null ? null : endOf(expiry),
      lastUsed: reader.moment("lastUsed")?.value ?? null,
      createdAt: reader.moment("createdAt")?.value ?? null,
      updatedAt: reader.moment("updatedAt")?.value ?? null,
    },
    repairs: reader.repairs,
  };
}

function convertDiscount(reader: FieldReader): number | null {
  const names = ["discountPercentage", "discountPercent", "percentage", "discount"];
  const typed = reader.number(...names);
  if (typed === null || /₹|rs|inr/i.test(String(reader.raw(...names)?.value))) return null;
  const other = reader.number("discount");
  if (other !== null && other !== typed)
    reader.repairs.push(`it has two discounts, ${typed} and ${other}; the first is used`);
  const whole = Math.floor(typed + 0.5);
  if (whole < 1) return null;
  if (whole > 100) {
    reader.repairs.push(`a discount of ${typed} percent was reduced to 100 percent`);
    return 100;
  }
  if (whole !== typed) reader.repairs.push(`a discount of ${typed} percent became ${whole}`);
  return whole;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Something that ends on a day lasts until the end of it. */
export function endOf({ value, dayOnly }: { value: Date; dayOnly: boolean }): Date {
  return dayOnly ? new Date(Math.min(value.getTime() + DAY_MS - 1000, LATEST_END)) : value;
}

/** A later year has five digits, which Postgres does not read. */
const LATEST_END = Date.UTC(9999, 11, 31);
