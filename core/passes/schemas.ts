import { z } from "zod";
import { CORE_MESSAGES } from "../errors.ts";
import { rowId, wholeNumber } from "../form-fields.ts";
import { type CalendarDay, formatDate } from "../time.ts";

/** For a text of another form. */
const EXPIRY_FORMAT_WRONG = "Please enter a valid date in DD-MM-YYYY format.";
/** For a day that does not exist. */
export const EXPIRY_DATE_WRONG = "Please enter a valid date.";

/** For a day that was over when the pass began. */
export function expiryBeforeStart(startsAt: Date, timeZone: string): string {
  return `The pass began on ${formatDate(startsAt, timeZone)}. It cannot end before that.`;
}

const EXPIRY_FORMAT = /^(\d{2})-(\d{2})-(\d{4})$/;

/** Years outside of this range are typing errors. */
const FIRST_YEAR = 2000;
const LAST_YEAR = 2999;

/** The day that a text of the form DD-MM-YYYY names; null when it does not exist. */
export function parseExpiryDay(text: string): CalendarDay | null {
  const [, day, month, year] = (EXPIRY_FORMAT.exec(text) ?? []).map(Number);
  if (day === undefined || month === undefined || year === undefined) return null;
  if (year < FIRST_YEAR || year > LAST_YEAR) return null;
  const date = new Date(Date.UTC(year, month - 1, day));
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? { year, month, day } : null;
}

const MAX_DAYS = 3650;

const purchaseId = rowId(CORE_MESSAGES["purchase-not-found"]);

export const extendPurchaseSchema = z.object({
  purchaseId,
  days: wholeNumber(1, MAX_DAYS, `Please enter a whole number of days, 1 to ${MAX_DAYS}.`),
});

export const IMPORTED_STATUSES = ["pending", "completed", "active", "failed"] as const;

export const setImportedStatusSchema = z.object({
  purchaseId,
  status: z.enum(IMPORTED_STATUSES, "Choose a status."),
});

export const joinToolSchema = z.object({ purchaseId, toolId: rowId("Choose a tool.") });

export const setPurchaseExpirySchema = z.object({
  purchaseId,
  /** DD-MM-YYYY. */
  date: z
    .string(EXPIRY_FORMAT_WRONG)
    .trim()
    .regex(EXPIRY_FORMAT, { error: EXPIRY_FORMAT_WRONG, abort: true })
    .refine((text) => parseExpiryDay(text) !== null, EXPIRY_DATE_WRONG),
});
