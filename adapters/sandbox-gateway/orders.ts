import { desc, eq } from "drizzle-orm";
import { z } from "zod";
import { sandboxOrders, sandboxPayments } from "#db/tables/sandbox.ts";
import { SandboxApiError, unknownId } from "./api-error.ts";
import { newId, type OrderRow, type PaymentRow } from "./entities.ts";
import type { SandboxContext } from "./sandbox-context.ts";

export const newOrder = z.object({
  amount: z.int("The amount must be an integer.").min(100, "The amount must be at least INR 1.00"),
  currency: z.literal("INR", "The currency should be INR."),
  receipt: z
    .string("The receipt field is required.")
    .min(1, "The receipt field is required.")
    .max(40, "The receipt may not be greater than 40 characters."),
  notes: z.record(z.string(), z.string()).default({}),
});

/** @throws SandboxApiError when the receipt was used before */
export async function createOrder(
  context: SandboxContext,
  input: z.output<typeof newOrder>,
): Promise<OrderRow> {
  const [order] = await context.db
    .insert(sandboxOrders)
    .values({
      id: newId("order"),
      receipt: input.receipt,
      amountPaise: input.amount,
      currency: input.currency,
      notes: JSON.stringify(input.notes),
      status: "created",
      createdAt: context.clock.now(),
    })
    .onConflictDoNothing({ target: sandboxOrders.receipt })
    .returning();
  if (!order) throw new SandboxApiError("The receipt should be unique.", { field: "receipt" });
  return order;
}

/** Newest first. */
export function listOrders(
  { db }: SandboxContext,
  filter: { receipt: string | undefined; count: number; skip: number },
): Promise<OrderRow[]> {
  const { receipt, count, skip } = filter;
  return db
    .select()
    .from(sandboxOrders)
    .where(receipt === undefined ? undefined : eq(sandboxOrders.receipt, receipt))
    .orderBy(desc(sandboxOrders.createdAt))
    .limit(count)
    .offset(skip);
}

/** @throws SandboxApiError when there is no such order */
export async function findOrder({ db }: SandboxContext, orderId: string): Promise<OrderRow> {
  const [order] = await db.select().from(sandboxOrders).where(eq(sandboxOrders.id, orderId));
  if (!order) throw unknownId();
  return order;
}

/** Newest first. @throws SandboxApiError when there is no such order */
export async function listOrderPayments(context: SandboxContext, orderId: string): Promise<PaymentRow[]> {
  // An order without payments is one row with the payment null.
  const rows = await context.db
    .select({ orderId: sandboxOrders.id, payment: sandboxPayments })
    .from(sandboxOrders)
    .leftJoin(sandboxPayments, eq(sandboxPayments.orderId, sandboxOrders.id))
    .where(eq(sandboxOrders.id, orderId))
    .orderBy(desc(sandboxPayments.createdAt), desc(sandboxPayments.id));
  if (rows.length === 0) throw unknownId();
  return rows.flatMap(({ payment }) => payment ?? []);
}
