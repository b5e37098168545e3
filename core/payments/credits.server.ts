import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { z } from "zod";
import type { Executor, Transaction } from "#db/database.ts";
import { credits, paymentAttempts, paymentOrders, payouts, refunds } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import { requireConfirmedShop } from "../backups/restored-shop.server.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { REFUND_TABLE, refundTransition, statesChangedBy } from "./payment-states.ts";
import { recordPayoutSchema, type Way } from "./schemas.ts";

/** The gateway of payments that an admin has recorded. It has no orders of its own, so nothing polls it. */
export const MANUAL_GATEWAY = "manual";

/** Writes the order and the captured payment of a pass that was given for it. @param input.at when it was paid */
export async function insertPaidOrder(
  tx: Transaction,
  input: {
    order: Omit<typeof paymentOrders.$inferInsert, "id" | "receipt" | "state">;
    payment: Omit<typeof paymentAttempts.$inferInsert, "orderId" | "status">;
    at: Date;
  },
): Promise<void> {
  const { order, payment, at } = input;
  const orderId = uuidv7();
  await tx.insert(paymentOrders).values({
    ...order,
    id: orderId,
    receipt: order.purchaseId,
    state: "settled",
    createdAt: at,
  });
  await tx.insert(paymentAttempts).values({
    ...payment,
    orderId,
    status: "captured",
    outcome: "pass",
    capturedAt: at,
    createdAt: at,
  });
  changed(tx, paymentOrders, paymentAttempts);
}

/**
 * Records what an admin was paid for a pass that was just given, as the payment of an order of the gateway `manual`. The caller
 * authorises.
 *
 * @throws a violation of the constraint `credits_reference_key` when a payment with this way and reference is recorded
 */
export async function recordCredit(
  ctx: Context,
  tx: Transaction,
  input: {
    purchaseId: string;
    amountPaise: number;
    way: Way;
    reference: string | null;
    payerName: string | null;
  },
): Promise<void> {
  const { purchaseId, amountPaise, way, reference, payerName } = input;
  const attemptId = uuidv7();
  const createdAt = ctx.clock.now();
  await insertPaidOrder(tx, {
    order: { purchaseId, gateway: MANUAL_GATEWAY, amountPaise, currency: "INR", testMode: false },
    payment: { id: attemptId, gatewayPaymentId: `${MANUAL_GATEWAY}_${attemptId}`, amountPaise, method: way },
    at: createdAt,
  });
  await tx.insert(credits).values({ attemptId, way, reference, payerName, createdAt });
  changed(tx, credits);
}

/** Whether a refund waits for a person and not for a gateway. For a query on `refunds`. */
export const IS_PAYOUT = sql`exists (select from ${payouts} where ${payouts.refundId} = ${refunds.id})`;

/** A refund that a person still has to make. Amount in paise. */
export interface PromisedPayout {
  id: string;
  toolName: string;
  /** null once the account is deleted. */
  email: string | null;
  orderNumber: string;
  amountPaise: number;
  promisedAt: Date;
}

const PAYOUTS_LISTED = 10;

/** The oldest ten promised payouts, and how many there are. */
export async function listPromisedPayouts(
  executor: Executor,
): Promise<{ payouts: PromisedPayout[]; total: number }> {
  const rows = await executor
    .select({
      id: payouts.id,
      toolName: userPurchases.toolName,
      email: userPurchases.userEmail,
      orderNumber: userPurchases.orderNumber,
      amountPaise: refunds.amountPaise,
      promisedAt: payouts.createdAt,
      total: sql<number>`count(*) over ()`.mapWith(Number),
    })
    .from(payouts)
    .innerJoin(refunds, eq(refunds.id, payouts.refundId))
    .innerJoin(paymentAttempts, eq(paymentAttempts.id, refunds.attemptId))
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .innerJoin(userPurchases, eq(userPurchases.id, paymentOrders.purchaseId))
    .where(eq(payouts.state, "promised"))
    .orderBy(asc(payouts.createdAt), asc(payouts.id))
    .limit(PAYOUTS_LISTED);
  return {
    payouts: rows.map(({ total: _, email, ...row }) => ({
      ...row,
      email: email.includes("@") ? email : null,
    })),
    total: rows[0]?.total ?? 0,
  };
}

/**
 * The admin has given the money of a promised payout back, and enters how. Its refund is processed.
 *
 * @returns the amount in paise
 * @throws DomainError unauthenticated, forbidden, password-needed, invalid-input, shop-not-confirmed, payment-not-found,
 *   payment-already-handled
 */
export async function recordPayout(
  ctx: Context,
  input: z.input<typeof recordPayoutSchema> | UntrustedInput,
): Promise<{ amountPaise: number }> {
  requireAdmin(ctx, "moves-money");
  const { payoutId, way, reference } = parseInput(recordPayoutSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    await requireConfirmedShop(tx);
    const [payout] = await tx
      .select({ state: payouts.state, refund: refunds, purchaseId: paymentOrders.purchaseId })
      .from(payouts)
      .innerJoin(refunds, eq(refunds.id, payouts.refundId))
      .innerJoin(paymentAttempts, eq(paymentAttempts.id, refunds.attemptId))
      .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
      .where(eq(payouts.id, payoutId))
      .for("update", { of: [refunds, payouts] });
    if (!payout) throw new DomainError("payment-not-found");
    const { refund, purchaseId } = payout;
    const status = refundTransition(refund.status, "given-back");
    if (payout.state !== "promised" || status === null)
      throw new DomainError("payment-already-handled", { state: "refunded" });
    const updatedAt = ctx.clock.now();
    await tx
      .update(payouts)
      .set({ state: "paid", way, reference, updatedAt })
      .where(eq(payouts.id, payoutId));
    await tx
      .update(refunds)
      .set({ status, updatedAt })
      .where(
        and(eq(refunds.id, refund.id), inArray(refunds.status, statesChangedBy(REFUND_TABLE, "given-back"))),
      );
    changed(tx, payouts, refunds);
    await recordAudit(ctx, tx, {
      action: "refund.given-back",
      subjectType: "purchase",
      subjectId: purchaseId,
      details: { amountPaise: refund.amountPaise, way },
    });
    return { amountPaise: refund.amountPaise };
  });
}

/** Removes references and names of payers of a person whose account is deleted. */
export async function forgetReferences(tx: Transaction, userId: string): Promise<void> {
  const attempts = tx
    .select({ id: paymentAttempts.id })
    .from(paymentAttempts)
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .innerJoin(userPurchases, eq(userPurchases.id, paymentOrders.purchaseId))
    .where(eq(userPurchases.userId, userId));
  await tx
    .update(credits)
    .set({ reference: null, payerName: null })
    .where(inArray(credits.attemptId, attempts));
  const ofRefunds = tx.select({ id: refunds.id }).from(refunds).where(inArray(refunds.attemptId, attempts));
  await tx.update(payouts).set({ reference: null }).where(inArray(payouts.refundId, ofRefunds));
  changed(tx, credits, payouts);
}
