import { z } from "zod";
import { parseRupees } from "./money.ts";
import { cleanText } from "./typed-text.ts";

/*
 * Fields of the admin's forms. A form sends texts, and nothing for an empty field or a checkbox that is not set;
 * other callers may send numbers and booleans.
 */

export const requiredText = (max: number, missing: string) =>
  z.string({ error: missing }).overwrite(cleanText).min(1, missing).max(max, `At most ${max} characters.`);

/** A code as it was typed, without outer spaces: codes are pasted. */
export const requiredCode = (max: number, missing: string) =>
  z.string({ error: missing }).trim().min(1, missing).max(max, `At most ${max} characters.`);

/** null when empty. */
export const optionalText = (max: number) =>
  z
    .string()
    .overwrite(cleanText)
    .max(max, `At most ${max} characters.`)
    .nullish()
    .transform((text) => text || null);

/**
 * @param message says what to enter: "Enter the stock as a whole number from 0 to 1000000."
 * @param noFraction says that "12.5" is no whole number
 */
export const wholeNumber = (min: number, max: number, message: string, noFraction = message) =>
  z
    .union(
      [
        z.number(),
        z
          .string()
          .overwrite(cleanText)
          .regex(/^\d+(?:[.,]\d+)?$/, message),
      ],
      {
        error: message,
      },
    )
    .transform((typed) => (typeof typed === "string" && /\D/.test(typed) ? Number.NaN : Number(typed)))
    .refine((number) => Number.isInteger(number), { error: noFraction, abort: true })
    .pipe(z.number(message).min(min, message).max(max, message));

/** null when empty. */
export const optionalWholeNumber = (min: number, max: number, message: string) =>
  z
    .union([z.literal("").transform(() => null), wholeNumber(min, max, message)], { error: message })
    .nullish()
    .transform((number) => number ?? null);

/** Absent is false, because a browser sends nothing for an empty checkbox. */
export const checkbox = z
  .union([
    z.boolean(),
    z.literal(["on", "true"]).transform(() => true),
    z.literal("false").transform(() => false),
  ])
  .default(false);

const RUPEES = "Enter rupees such as 149 or 149.50.";

function readRupees(text: string, maxRupees: number, context: z.core.$RefinementCtx): number {
  const paise = parseRupees(text);
  if (paise !== null && paise <= maxRupees * 100) return paise;
  const message = paise === null ? RUPEES : `At most ${maxRupees} rupees.`;
  context.addIssue({ code: "custom", message });
  return z.NEVER;
}

/** Rupees as text, into paise. */
export const rupees = (maxRupees: number, missing = RUPEES) =>
  z
    .string({ error: missing })
    .overwrite(cleanText)
    .min(1, missing)
    .transform((text, context) => readRupees(text, maxRupees, context));

/** Empty and 0 are null. */
export const optionalRupees = (maxRupees: number) =>
  z
    .string({ error: RUPEES })
    .overwrite(cleanText)
    .nullish()
    .transform((text, context) => (text ? readRupees(text, maxRupees, context) || null : null));

/** The id of a row. */
export const rowId = (missing = "This no longer exists. Please reload the page.") =>
  z.uuid({ error: missing });

/** The version of the row that the form showed. */
export const shownVersion = wholeNumber(1, 2_147_483_647, "Please close this form and open it again.");

const LONGEST_PATH = 1000;

/**
 * A path of the shop, with what no header can hold percent-encoded. An address of another site, such as `//evil.example`,
 * becomes the home page.
 */
export const shopPath = z
  .string()
  .max(LONGEST_PATH)
  .regex(/^\/(?![/\\])[^\\\s\p{Cc}\p{Cs}]*$/u)
  .transform((path) => path.replaceAll(/[^!-~]+/gu, encodeURIComponent))
  // Longer ones do not fit in the cookie of a sign-in with Google.
  .pipe(z.string().max(LONGEST_PATH))
  .catch("/");
