import { z } from "zod";

/** The parts of the gateway's JSON that the shop reads. Amounts in paise. Unknown fields are left out. */

/** The database takes no NUL in a text, and what a bank or an event says is no reason to lose a payment. */
const wireText = z.string().transform((text) => text.replaceAll("\0", ""));

export const wireOrder = z.object({
  id: z.string(),
  amount: z.int(),
  currency: z.string(),
  receipt: z.string().nullish(),
  created_at: z.number().catch(0),
});
export type WireOrder = z.output<typeof wireOrder>;

export const wirePayment = z.object({
  id: z.string(),
  order_id: z.string(),
  amount: z.int(),
  currency: z.string(),
  // A status that is new to us is no money yet: only 'captured' is believed to be, so the rest may look like a beginning.
  status: z.enum(["created", "authorized", "captured", "failed", "refunded"]).catch("created"),
  // False on an authorisation that was let go: its status reads 'refunded' though no money was ever ours.
  captured: z.boolean().nullish(),
  amount_refunded: z.int().nonnegative().nullish().catch(null),
  method: wireText.nullish(),
  error_description: wireText.nullish(),
});
export type WirePayment = z.output<typeof wirePayment>;

export const wireRefund = z.object({
  id: z.string(),
  payment_id: z.string(),
  amount: z.int(),
  status: z.enum(["pending", "processed", "failed"]).catch("pending"),
});
export type WireRefund = z.output<typeof wireRefund>;

export const wireList = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item) });

export const apiError = z.object({ error: z.object({ code: z.string(), description: z.string() }) });

const entity = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object({ entity: z.object(shape) }).optional();

export const wireEvent = z.object({
  event: wireText,
  payload: z.object({
    payment: entity({ id: wireText, order_id: wireText.nullish() }),
    order: entity({ id: wireText }),
    refund: entity({ payment_id: wireText.nullish() }),
  }),
});
