import { z } from "zod";

/*
 * The schemas of the entries of a catalogue file. Messages follow the name of the field ("price must be …"). Prices are
 * rupees in the file and whole paise after parsing.
 */

/** Keeps every amount in paise within a 32-bit integer. */
const MAX_RUPEES = 10_000_000;
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

const missingOr = (message: string) => (issue: { input?: unknown }) =>
  issue.input === undefined ? "is missing" : message;

const text = (max: number) =>
  z
    .string({ error: missingOr("must be text in double quotes") })
    .trim()
    .min(1, "must not be empty")
    .max(max, `must be at most ${max} characters long`);

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

const slug = text(60).regex(SLUG, "must be lower-case letters and digits, parts joined by single hyphens");

/** A number has at most two decimals when formatting it with two does not change it. */
const hasWholePaise = (rupees: number) => Number(rupees.toFixed(2)) === rupees;

const PRICE_MESSAGE = "must be rupees as a number such as 149 or 149.50, without quotes";

const rupees = z
  .number({ error: missingOr(PRICE_MESSAGE) })
  .min(0, "must not be negative")
  .max(MAX_RUPEES, `must be at most ${MAX_RUPEES} rupees`)
  .refine(hasWholePaise, "must have at most two decimals")
  .transform((amount) => Math.round(amount * 100));

/** ₹1 is the smallest amount that the gateway accepts. */
const payable = rupees.refine((paise) => paise >= 100, "must be at least 1 rupee");
const payableOrFree = rupees.refine((paise) => paise === 0 || paise >= 100, {
  error: "must be 0 (free) or at least 1 rupee",
});

const isWebAddress = (address: string) => URL.canParse(address) && new URL(address).protocol === "https:";

const webAddress = text(500).refine(isWebAddress, "must be an address that starts with https://");

const strict = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === "invalid_type" ? missingOr("must be an entry in { }")(issue) : undefined,
  });

export const storeSchema = strict({
  name: text(60),
  claims: strict({
    rating: text(20).optional(),
    users: text(20).optional(),
    tools: text(20).optional(),
    satisfaction: text(20).optional(),
    support: text(20).optional(),
  }).default({}),
  supportPhones: listOf(
    strict({
      label: text(60),
      number: text(16).regex(
        /^\+\d{8,15}$/,
        "must be + and the country code and number in digits, such as +919876543210",
      ),
    }),
  ).default([]),
  dealsChannel: strict({ label: text(60), url: webAddress }).optional(),
  demoVideoUrl: webAddress.optional(),
});

const pricingOptionSchema = strict({
  label: text(40),
  validityDays: wholeNumber(1, 3650),
  price: payable,
  originalPrice: rupees.optional(),
});

const serverSchema = strict({
  id: slug,
  name: text(60),
  url: webAddress.optional(),
});

const features = listOf(text(120))
  .min(1, "must list at least one feature")
  .transform((list) => [...new Set(list)]);

export const toolSchema = strict({
  slug,
  name: text(80),
  description: text(2000),
  category: text(40).default("other"),
  badge: text(24).optional(),
  isActive: booleanWithDefault(true),
  contactOnly: booleanWithDefault(false),
  availableStock: wholeNumber(0, 1_000_000).default(0),
  features,
  price: payableOrFree.optional(),
  originalPrice: rupees.optional(),
  validityDays: wholeNumber(1, 3650).optional(),
  pricingOptions: listOf(pricingOptionSchema).default([]),
  servers: listOf(serverSchema).min(1, "must list at least one server, so that a pass opens something"),
});

export const pageSchema = strict({
  page: slug,
  toolSlugs: listOf(slug).default([]),
  names: listOf(text(80)).default([]),
});

export const accessCodeSchema = strict({
  toolSlug: slug,
  serverName: text(60),
  simpleCode: text(200),
  sessionCode: text(500).optional(),
  isActive: booleanWithDefault(true),
});

export const credentialSchema = strict({
  service: oneOf(["Stealth Writer", "QuillBot", "Write Human", "Other"]),
  email: z.email({ error: missingOr("must be an e-mail address") }),
  password: z
    .string({ error: missingOr("must be text in double quotes") })
    .min(1, "must not be empty")
    .max(500, "must be at most 500 characters long"),
  isActive: booleanWithDefault(true),
});

export const couponSchema = strict({
  code: text(40)
    .toUpperCase()
    .regex(/^[A-Z0-9_-]+$/, "must be letters, digits, hyphens and underscores only"),
  toolSlug: slug,
  discountPercentage: wholeNumber(1, 100),
  usageLimit: wholeNumber(1, 1_000_000).optional(),
  expiresAt: z.iso
    .datetime({
      offset: true,
      error: 'must be a moment with its offset, such as "2027-03-31T23:59:59+05:30"',
    })
    .transform((moment) => new Date(moment))
    .optional(),
  isActive: booleanWithDefault(true),
});
