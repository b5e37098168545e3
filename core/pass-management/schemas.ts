import { z } from "zod";
import { CORE_MESSAGES } from "../errors.ts";
import { rowId, wholeNumber } from "../form-fields.ts";
import { EXPIRY_DATE_WRONG, EXPIRY_FORMAT, EXPIRY_FORMAT_WRONG, parseExpiryDay } from "./expiry-date.ts";

const MAX_DAYS = 3650;

const purchaseId = rowId(CORE_MESSAGES["purchase-not-found"]);

export const extendPurchaseSchema = z.object({
  purchaseId,
  days: wholeNumber(1, MAX_DAYS, `Please enter a whole number of days, 1 to ${MAX_DAYS}.`),
});

export const setPurchaseExpirySchema = z.object({
  purchaseId,
  /** DD-MM-YYYY. */
  date: z
    .string(EXPIRY_FORMAT_WRONG)
    .trim()
    .regex(EXPIRY_FORMAT, { error: EXPIRY_FORMAT_WRONG, abort: true })
    .refine((text) => parseExpiryDay(text) !== null, EXPIRY_DATE_WRONG),
});
