import { z } from "zod";

/** The parts of Razorpay's JSON that the shop reads. Amounts in paise. Unknown fields are dropped. */

/**
 * Postgres stores no NUL in a text. It is removed, because a text of a bank must not prevent the recording of a
 * payment.
 */
const storableText = z.string().transform((text) => text.replaceAll("\0", ""));

/** The year 9999. */
const MAX_SECONDS = 253_402_300_799;
const optionalText = storableText.nullish().catch(null);

/** Paise. A column holds no larger number, and a fee must not prevent the recording of a payment. */
const optionalPaise = z
  .int()
  .nonnegative()
  .max(2 ** 31 - 1)
  .nullish()
  .catch(null);

export const apiOrder = z.object({
  id: z.string(),
  amount: z.int(),
  currency: z.string(),
  receipt: z.string().nullish(),
  status: z.string().nullish().catch(null),
  // The gateway writes empty notes as a list.
  notes: z.record(z.string(), z.unknown()).catch({}),
  created_at: z.number().catch(0),
});
export type ApiOrder = z.output<typeof apiOrder>;

/** What is paid of one order. Nothing else in the shop reads it. */
export const apiOrderBalance = z.object({
  status: z.string(),
  amount_paid: z.int(),
  amount_due: z.int(),
  currency: z.string(),
});

export const apiPayment = z.object({
  id: z.string(),
  order_id: z.string(),
  amount: z.int(),
  currency: z.string(),
  fee: optionalPaise,
  tax: optionalPaise,
  // An unknown status counts as 'created': only 'captured' means that the money was collected.
  status: z.enum(["created", "authorized", "captured", "failed", "refunded"]).catch("created"),
  // False for an authorised payment that was never captured: its status is 'refunded' although no money was collected.
  captured: z.boolean().nullish(),
  amount_refunded: z.int().nonnegative().nullish().catch(null),
  method: storableText.nullish(),
  error_description: storableText.nullish(),
  email: optionalText,
  contact: optionalText,
  vpa: optionalText,
  // The references of the bank. The gateway writes an empty object as a list.
  acquirer_data: z
    .object({ rrn: optionalText, upi_transaction_id: optionalText, bank_transaction_id: optionalText })
    .partial()
    .catch({}),
  created_at: z.number().catch(0),
});
export type ApiPayment = z.output<typeof apiPayment>;

export const apiRefund = z.object({
  id: z.string(),
  payment_id: z.string(),
  amount: z.int(),
  status: z.enum(["pending", "processed", "failed"]).catch("pending"),
});
export type ApiRefund = z.output<typeof apiRefund>;

export const apiDispute = z.object({
  id: storableText,
  payment_id: storableText,
  amount: z.int().positive(),
  amount_deducted: z.int().nonnegative().nullish().catch(null),
  currency: z.string().catch("INR"),
  phase: storableText.catch("unknown"),
  // An unknown status counts as 'open': refunds wait, and the owner looks at it.
  status: z.enum(["open", "under_review", "won", "lost", "closed"]).catch("open"),
  reason_code: storableText.nullish().catch(null),
  reason_description: storableText.nullish().catch(null),
  respond_by: z.number().positive().max(MAX_SECONDS).nullish().catch(null),
  created_at: z.number().catch(0),
});
export type ApiDispute = z.output<typeof apiDispute>;

export const apiList = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item) });

export const apiError = z.object({ error: z.object({ code: z.string(), description: z.string() }) });

const entity = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object({ entity: z.object(shape) }).optional();

export const apiWebhookEvent = z.object({
  event: storableText,
  payload: z.object({
    payment: entity({ id: storableText, order_id: storableText.nullish() }),
    order: entity({ id: storableText }),
    refund: entity({ payment_id: storableText.nullish() }),
    dispute: entity({ id: storableText, payment_id: storableText.nullish() }),
  }),
});
