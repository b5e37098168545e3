import { z } from "zod";
import { cleanText } from "../../typed-text.ts";
import {
  isWebAddress,
  MAX_RUPEES,
  SLUG_PATTERN,
  SMALLEST_PRICE_PAISE,
  TOOL_LIMITS,
  toOneLine,
} from "../limits.ts";

/*
 * Fields of the entries of a catalogue file. Messages follow the name of the field ("price must be …"). Prices are
 * rupees in the file and whole paise after parsing.
 */

export const missingOr = (message: string) => (issue: { input?: unknown }) =>
  issue.input === undefined ? "is missing" : message;

const textThat = (clean: (typed: string) => string) => (max: number) =>
  z
    .string({ error: missingOr("must be text in double quotes") })
    .overwrite(clean)
    .min(1, "must not be empty")
    .max(max, `must be at most ${max} characters long`);

export const text = textThat(cleanText);
export const line = textThat((typed) => toOneLine(cleanText(typed)));
export const code = textThat((typed) => typed.trim());

export const integerFrom = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .number({ error: missingOr(message) })
    .int(message)
    .min(min, message)
    .max(max, message);
};

export const booleanWithDefault = (value: boolean) =>
  z.boolean({ error: "must be true or false, without quotes" }).default(value);

/** A moment with its offset. */
export const moment = z.iso
  .datetime({
    offset: true,
    error: 'must be a moment with its offset, such as "2027-03-31T23:59:59+05:30"',
  })
  .transform((text) => new Date(text));

/** null when the entry leaves it out. */
export const orNull = <Schema extends z.ZodType>(schema: Schema) =>
  schema.optional().transform((value) => value ?? null);

export const MUST_BE_LIST = "must be a list in [ ]";

export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.array(item, { error: missingOr(MUST_BE_LIST) });

export const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, { error: missingOr(`must be one of: ${values.join(", ")}`) });

export const slug = text(TOOL_LIMITS.slug).regex(
  SLUG_PATTERN,
  "must be lower-case letters and digits, parts joined by single hyphens",
);

/** A number has at most two decimals when formatting it with two does not change it. */
const hasWholePaise = (rupees: number) => Number(rupees.toFixed(2)) === rupees;

const PRICE_MESSAGE = "must be rupees as a number such as 149 or 149.50, without quotes";

export const rupeeNumber = z
  .number({ error: missingOr(PRICE_MESSAGE) })
  .min(0, "must not be negative")
  .max(MAX_RUPEES, `must be at most ${MAX_RUPEES} rupees`)
  .refine(hasWholePaise, "must have at most two decimals")
  .transform((amount) => Math.round(amount * 100));

export const payable = rupeeNumber.refine(
  (paise) => paise >= SMALLEST_PRICE_PAISE,
  "must be at least 1 rupee",
);
export const payableOrFree = rupeeNumber.refine((paise) => paise === 0 || paise >= SMALLEST_PRICE_PAISE, {
  error: "must be 0 (free) or at least 1 rupee",
});

export const webAddress = text(TOOL_LIMITS.address).refine(
  isWebAddress,
  "must be an address that starts with https:// or http://",
);

/** A list with an upper limit, so that a form can show it. */
export const shortList = <Item extends z.ZodType>(item: Item, max: number) =>
  listOf(item).max(max, `must list at most ${max}`);

export const strict = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === "invalid_type" ? missingOr("must be an entry in { }")(issue) : undefined,
  });
