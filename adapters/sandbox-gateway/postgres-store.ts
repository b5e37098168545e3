import { and, asc, desc, eq, gte, inArray, lt } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Clock } from "#core/time.ts";
import type { Database, Executor, Transaction } from "#db/database.ts";
import {
  sandboxDisputes,
  sandboxOrders,
  sandboxPayments,
  sandboxRefunds,
  sandboxWebhooks,
} from "#db/tables/sandbox.ts";
import { inTransaction, violatedConstraint } from "#db/transaction.ts";
import {
  type GatewayEvent,
  type GatewayStore,
  type ListFilter,
  newId,
  type OrderRecords,
  type RecordId,
  reusedKey,
  unknownId,
  webhookBody,
} from "./entities.ts";

/** The events that the sandbox has webhooks for, as an owner selects them at the real gateway. */
const SELECTED: ReadonlySet<GatewayEvent["event"]> = new Set([
  "payment.captured",
  "payment.failed",
  "order.paid",
  "refund.processed",
  "payment.dispute.created",
  "payment.dispute.under_review",
  "payment.dispute.won",
  "payment.dispute.lost",
]);

type NewWebhook = typeof sandboxWebhooks.$inferInsert;

/**
 * The records of the sandbox, in its own tables. The webhooks of a change are stored in its transaction, so that none is
 * lost, and none reports a change that was rolled back. A receipt is used once, as an option of real accounts demands.
 *
 * @param options.onQueued called after the commit of a transaction that may have stored webhooks
 */
export function createPostgresStore(options: {
  db: Database;
  clock: Clock;
  onQueued: () => void;
}): GatewayStore {
  const { db, clock, onQueued } = options;
  return {
    async addOrder(order) {
      const added = await db
        .insert(sandboxOrders)
        .values(order)
        .onConflictDoNothing({ target: sandboxOrders.receipt })
        .returning({ id: sandboxOrders.id });
      return added.length > 0;
    },
    listOrders: ({ receipt, from, to, count, skip }) =>
      db
        .select()
        .from(sandboxOrders)
        .where(
          and(
            receipt === undefined ? undefined : eq(sandboxOrders.receipt, receipt),
            ...isCreatedWithin(sandboxOrders.createdAt, { from, to }),
          ),
        )
        .orderBy(desc(sandboxOrders.createdAt), desc(sandboxOrders.id))
        .limit(count)
        .offset(skip),
    listDisputes: async ({ from, to, count, skip }) => {
      const rows = await db
        .select({ dispute: sandboxDisputes, currency: sandboxPayments.currency })
        .from(sandboxDisputes)
        .innerJoin(sandboxPayments, eq(sandboxPayments.id, sandboxDisputes.paymentId))
        .where(and(...isCreatedWithin(sandboxDisputes.createdAt, { from, to })))
        .orderBy(desc(sandboxDisputes.createdAt), desc(sandboxDisputes.id))
        .limit(count)
        .offset(skip);
      return rows.map(({ dispute, currency }) => ({ ...dispute, currency }));
    },
    find: async (id) => readRecords(db, await orderIdOf(db, id)),
    async change(id, make) {
      try {
        const result = await inTransaction(db, async (tx) => {
          const orderId = await orderIdOf(tx, id);
          await tx
            .select({ id: sandboxOrders.id })
            .from(sandboxOrders)
            .where(eq(sandboxOrders.id, orderId))
            .for("update");
          const records = await readRecords(tx, orderId);
          const now = clock.now();
          const webhooks: NewWebhook[] = [];
          const emit = (event: GatewayEvent) => webhooks.push(newWebhook(event, now));
          const made = make({ ...records, now, emit });
          if (webhooks.length > 0) await storeChange(tx, { ...records, now, webhooks });
          return made;
        });
        onQueued();
        return result;
      } catch (error) {
        // A refund of another order has this key.
        if (violatedConstraint(error)?.includes("idempotency_key")) throw reusedKey();
        throw error;
      }
    },
  };
}

/** @param range the first and the last second, in seconds since 1970 */
const isCreatedWithin = (column: PgColumn, { from, to }: Pick<ListFilter, "from" | "to">) => [
  from === undefined ? undefined : gte(column, new Date(from * 1000)),
  to === undefined ? undefined : lt(column, new Date((to + 1) * 1000)),
];

function newWebhook(event: GatewayEvent, now: Date): NewWebhook {
  const body = webhookBody(event, now);
  return { id: newId("evt"), event: event.event, body, nextTryAt: now, createdAt: now };
}

async function storeChange(
  tx: Transaction,
  { order, payments, refunds, disputes, now, webhooks }: OrderRecords & { now: Date; webhooks: NewWebhook[] },
): Promise<void> {
  const { status, attempts, amountPaidPaise } = order;
  await tx
    .update(sandboxOrders)
    .set({ status, attempts, amountPaidPaise })
    .where(eq(sandboxOrders.id, order.id));
  for (const { captured: _, reportsFeeEarly: __, ...payment } of payments) {
    const row = { ...payment, updatedAt: now };
    const { status, refundedPaise, errorDescription, updatedAt } = row;
    await tx.insert(sandboxPayments).values(row).onConflictDoUpdate({
      target: sandboxPayments.id,
      set: { status, refundedPaise, errorDescription, updatedAt },
    });
  }
  for (const refund of refunds)
    await tx
      .insert(sandboxRefunds)
      .values(refund)
      .onConflictDoUpdate({ target: sandboxRefunds.id, set: { status: refund.status } });
  for (const dispute of disputes) {
    const { status, deductedPaise } = dispute;
    await tx
      .insert(sandboxDisputes)
      .values(dispute)
      .onConflictDoUpdate({ target: sandboxDisputes.id, set: { status, deductedPaise } });
  }
  const selected = webhooks.filter(({ event }) => (SELECTED as ReadonlySet<string>).has(event));
  if (selected.length > 0) await tx.insert(sandboxWebhooks).values(selected);
}

async function orderIdOf(executor: Executor, id: RecordId): Promise<string> {
  if ("orderId" in id) return id.orderId;
  const payments = executor.select({ orderId: sandboxPayments.orderId }).from(sandboxPayments);
  const [found] = await ("paymentId" in id
    ? payments.where(eq(sandboxPayments.id, id.paymentId))
    : "refundId" in id
      ? payments
          .innerJoin(sandboxRefunds, eq(sandboxRefunds.paymentId, sandboxPayments.id))
          .where(eq(sandboxRefunds.id, id.refundId))
      : payments
          .innerJoin(sandboxDisputes, eq(sandboxDisputes.paymentId, sandboxPayments.id))
          .where(eq(sandboxDisputes.id, id.disputeId)));
  if (!found) throw unknownId();
  return found.orderId;
}

async function readRecords(executor: Executor, orderId: string): Promise<OrderRecords> {
  // An order without payments is one row.
  const rows = await executor
    .select({ order: sandboxOrders, payment: sandboxPayments, refund: sandboxRefunds })
    .from(sandboxOrders)
    .leftJoin(sandboxPayments, eq(sandboxPayments.orderId, sandboxOrders.id))
    .leftJoin(sandboxRefunds, eq(sandboxRefunds.paymentId, sandboxPayments.id))
    .where(eq(sandboxOrders.id, orderId))
    .orderBy(
      asc(sandboxPayments.createdAt),
      asc(sandboxPayments.id),
      asc(sandboxRefunds.createdAt),
      asc(sandboxRefunds.id),
    );
  const order = rows[0]?.order;
  if (!order) throw unknownId();
  const payments = new Map(rows.flatMap(({ payment }) => (payment ? [[payment.id, payment]] : [])));
  const disputes = await executor
    .select()
    .from(sandboxDisputes)
    .where(inArray(sandboxDisputes.paymentId, [...payments.keys()]))
    .orderBy(asc(sandboxDisputes.createdAt), asc(sandboxDisputes.id));
  return {
    order,
    payments: [...payments.values()].map((payment) => ({
      ...payment,
      captured: payment.status === "captured" || payment.status === "refunded",
    })),
    refunds: rows.flatMap(({ refund }) => refund ?? []),
    disputes,
  };
}
