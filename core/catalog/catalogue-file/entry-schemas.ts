import { z } from "zod";
import { cleanText, EMAIL_PATTERN, signInAddress } from "../../typed-text.ts";
import {
  ACCENTS,
  COUPON_CODE_PATTERN,
  COUPON_LIMITS,
  DEFAULT_BENEFITS,
  GSTIN_PATTERN,
  isOneLine,
  isWebAddress,
  MAX_RUPEES,
  OWN_VIDEO,
  PHONE_PATTERN,
  SERVICE_LENGTH,
  SLUG_PATTERN,
  SMALLEST_PRICE_PAISE,
  STORE_LIMITS,
  TOOL_LIMITS,
  toOneLine,
} from "../limits.ts";
import { sortWorksOn, WORKS_ON } from "../rules.ts";

/*
 * The schemas of the entries of a catalogue file. Messages follow the name of the field ("price must be …"). Prices are
 * rupees in the file and whole paise after parsing.
 */

const missingOr = (message: string) => (issue: { input?: unknown }) =>
  issue.input === undefined ? "is missing" : message;

const textThat = (clean: (typed: string) => string) => (max: number) =>
  z
    .string({ error: missingOr("must be text in double quotes") })
    .overwrite(clean)
    .min(1, "must not be empty")
    .max(max, `must be at most ${max} characters long`);

const text = textThat(cleanText);
const line = textThat((typed) => toOneLine(cleanText(typed)));
const code = textThat((typed) => typed.trim());

const wholeNumber = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .number({ error: missingOr(message) })
    .int(message)
    .min(min, message)
    .max(max, message);
};

const booleanWithDefault = (value: boolean) =>
  z.boolean({ error: "must be true or false, without quotes" }).default(value);

export const MUST_BE_LIST = "must be a list in [ ]";

const listOf = <Item extends z.ZodType>(item: Item) => z.array(item, { error: missingOr(MUST_BE_LIST) });

const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, { error: missingOr(`must be one of: ${values.join(", ")}`) });

const slug = text(TOOL_LIMITS.slug).regex(
  SLUG_PATTERN,
  "must be lower-case letters and digits, parts joined by single hyphens",
);

/** A number has at most two decimals when formatting it with two does not change it. */
const hasWholePaise = (rupees: number) => Number(rupees.toFixed(2)) === rupees;

const PRICE_MESSAGE = "must be rupees as a number such as 149 or 149.50, without quotes";

const rupees = z
  .number({ error: missingOr(PRICE_MESSAGE) })
  .min(0, "must not be negative")
  .max(MAX_RUPEES, `must be at most ${MAX_RUPEES} rupees`)
  .refine(hasWholePaise, "must have at most two decimals")
  .transform((amount) => Math.round(amount * 100));

const payable = rupees.refine((paise) => paise >= SMALLEST_PRICE_PAISE, "must be at least 1 rupee");
const payableOrFree = rupees.refine((paise) => paise === 0 || paise >= SMALLEST_PRICE_PAISE, {
  error: "must be 0 (free) or at least 1 rupee",
});

const webAddress = text(TOOL_LIMITS.address).refine(
  isWebAddress,
  "must be an address that starts with https:// or http://",
);

/** A list with an upper limit, so that a form can show it. */
const shortList = <Item extends z.ZodType>(item: Item, max: number) =>
  listOf(item).max(max, `must list at most ${max}`);

const strict = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === "invalid_type" ? missingOr("must be an entry in { }")(issue) : undefined,
  });

const claim = text(STORE_LIMITS.claim).optional();
const longText = text(STORE_LIMITS.text).optional();

export const storeSchema = strict({
  name: text(STORE_LIMITS.name).refine(isOneLine, "must be one line"),
  claims: strict({ rating: claim, users: claim, tools: claim, satisfaction: claim, support: claim }).default(
    {},
  ),
  /** The claims are examples: the shop says so where it shows them. */
  claimsAreExamples: z.boolean({ error: "must be true or false, without quotes" }).optional(),
  headline: text(STORE_LIMITS.headline).refine(isOneLine, "must be one line").optional(),
  accent: oneOf(ACCENTS).optional(),
  benefits: listOf(text(STORE_LIMITS.benefit))
    .length(DEFAULT_BENEFITS.length, `must list ${DEFAULT_BENEFITS.length}`)
    .optional(),
  seller: strict({
    name: text(STORE_LIMITS.name),
    city: text(STORE_LIMITS.city).optional(),
    since: wholeNumber(1900, 2100).optional(),
    gstin: text(15).regex(GSTIN_PATTERN, "must have 15 characters, such as 27ABCDE1234F1Z5").optional(),
  }).optional(),
  supportPhones: listOf(
    strict({
      label: text(STORE_LIMITS.label),
      number: text(16).regex(
        PHONE_PATTERN,
        "must be + and the country code and number in digits, such as +919876543210",
      ),
    }),
  ).default([]),
  dealsChannel: strict({ label: text(STORE_LIMITS.label), url: webAddress }).optional(),
  demoVideoUrl: z.literal(OWN_VIDEO).or(webAddress).optional(),
  giveawayToolSlug: slug.optional(),
  giveawayValidityDays: wholeNumber(1, STORE_LIMITS.giveawayValidityDays).optional(),
  devices: strict({
    perUser: wholeNumber(1, STORE_LIMITS.devicesPerUser).optional(),
    releasesPer30Days: wholeNumber(0, STORE_LIMITS.deviceReleases).optional(),
  }).optional(),
  adminSessions: strict({
    idleHours: wholeNumber(1, STORE_LIMITS.adminIdleHours).optional(),
    maxDays: wholeNumber(1, STORE_LIMITS.adminSessionDays).optional(),
  }).optional(),
  texts: strict({ terms: longText, refund: longText, privacy: longText, contact: longText }).optional(),
});

/** The schema of the stored settings: a name that was stored with line breaks is read as one line. */
export const storedStoreSchema = storeSchema.extend({ name: text(STORE_LIMITS.name).transform(toOneLine) });

const pricingOptionSchema = strict({
  label: line(TOOL_LIMITS.optionLabel),
  validityDays: wholeNumber(1, TOOL_LIMITS.validityDays),
  price: payable,
  originalPrice: rupees.optional(),
});

const serverSchema = strict({
  id: slug,
  name: line(TOOL_LIMITS.serverName),
  url: webAddress.optional(),
  perBuyer: booleanWithDefault(false),
});

const features = shortList(text(TOOL_LIMITS.feature), TOOL_LIMITS.features).transform((list) => [
  ...new Set(list),
]);

export const toolSchema = strict({
  slug,
  name: line(TOOL_LIMITS.name),
  description: text(TOOL_LIMITS.description),
  category: line(TOOL_LIMITS.category).default("other"),
  badge: line(TOOL_LIMITS.badge).optional(),
  isActive: booleanWithDefault(true),
  contactOnly: booleanWithDefault(false),
  availableStock: wholeNumber(0, TOOL_LIMITS.availableStock).default(0),
  features,
  price: payableOrFree.optional(),
  originalPrice: rupees.optional(),
  validityDays: wholeNumber(1, TOOL_LIMITS.validityDays).optional(),
  pricingOptions: shortList(pricingOptionSchema, TOOL_LIMITS.pricingOptions).default([]),
  /** `checkTool` demands one without a shared sign-in. */
  servers: shortList(serverSchema, TOOL_LIMITS.servers).default([]),
  worksOn: listOf(oneOf(WORKS_ON)).default([]).transform(sortWorksOn),
  howToUse: shortList(text(TOOL_LIMITS.howToUseLine), TOOL_LIMITS.howToUse)
    .transform((list) => [...new Set(list)])
    .default([]),
  launchUrl: webAddress.optional(),
  credentialService: line(SERVICE_LENGTH).optional(),
});

export const pageSchema = strict({
  page: slug,
  toolSlugs: listOf(slug).default([]),
  names: listOf(line(TOOL_LIMITS.name)).default([]),
});

export const accessCodeSchema = strict({
  toolSlug: slug,
  serverName: line(TOOL_LIMITS.serverName),
  simpleCode: code(200),
  sessionCode: code(500).optional(),
  perBuyer: booleanWithDefault(false),
  isActive: booleanWithDefault(true),
});

export const credentialSchema = strict({
  service: line(SERVICE_LENGTH),
  email: z
    .string({ error: missingOr("must be an e-mail address") })
    .overwrite(signInAddress)
    .pipe(z.email({ pattern: EMAIL_PATTERN, error: "must be an e-mail address" })),
  password: z
    .string({ error: missingOr("must be text in double quotes") })
    .min(1, "must not be empty")
    .max(500, "must be at most 500 characters long"),
  isActive: booleanWithDefault(true),
});

export const couponSchema = strict({
  code: text(COUPON_LIMITS.code)
    .toUpperCase()
    .regex(COUPON_CODE_PATTERN, "must be letters, digits, hyphens and underscores only"),
  toolSlug: slug,
  discountPercentage: wholeNumber(1, 100),
  usageLimit: wholeNumber(1, COUPON_LIMITS.usageLimit).optional(),
  expiresAt: z.iso
    .datetime({
      offset: true,
      error: 'must be a moment with its offset, such as "2027-03-31T23:59:59+05:30"',
    })
    .transform((moment) => new Date(moment))
    .optional(),
  isActive: booleanWithDefault(true),
});
