import { and, asc, desc, eq, gte, inArray, lte, sql } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { realOrders } from "./discrepancy-queries.server.ts";

/** A refund the payment provider could not carry out. `email` is null once the account is deleted. */
export interface FailedRefund {
  id: string;
  /** The provider's. */
  paymentId: string;
  purchaseId: string;
  toolName: string;
  email: string | null;
  amountPaise: number;
}

/** What is still owed: the owner may have paid a part of it by hand. */
const owed = sql<number>`(${refunds.amountPaise} - ${paymentAttempts.refundedPaise})`.mapWith(Number);
const paise = sql<number>`coalesce(sum(${refunds.amountPaise}), 0)`.mapWith(Number);
const owedPaise = sql<number>`coalesce(sum(${owed}), 0)`.mapWith(Number);
const number = sql<number>`count(*)`.mapWith(Number);

/** The oldest few. */
export async function selectFailedRefunds(
  executor: Executor,
  testMode: boolean,
  limit: number,
): Promise<{ refunds: FailedRefund[]; total: number }> {
  const rows = await executor
    .select({
      id: refunds.id,
      paymentId: paymentAttempts.gatewayPaymentId,
      purchaseId: userPurchases.id,
      toolName: userPurchases.toolName,
      email: userPurchases.userEmail,
      amountPaise: owed,
      total: sql<number>`count(*) over ()`.mapWith(Number),
    })
    .from(refunds)
    .innerJoin(paymentAttempts, eq(paymentAttempts.id, refunds.attemptId))
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .innerJoin(userPurchases, eq(userPurchases.id, paymentOrders.purchaseId))
    .where(and(eq(refunds.status, "failed"), realOrders(testMode)))
    .orderBy(asc(refunds.createdAt))
    .limit(limit);
  return {
    refunds: rows.map(({ total: _, ...refund }) => ({
      ...refund,
      email: refund.email.includes("@") ? refund.email : null,
    })),
    total: rows[0]?.total ?? 0,
  };
}

/** Refunds decided at or before `before` and not final. */
export async function sumOverdueRefunds(
  executor: Executor,
  testMode: boolean,
  before: Date,
): Promise<{ number: number; paise: number }> {
  const [sums] = await executor
    .select({ number, paise: owedPaise })
    .from(refunds)
    .innerJoin(paymentAttempts, eq(paymentAttempts.id, refunds.attemptId))
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .where(
      and(
        inArray(refunds.status, ["requested", "processing"]),
        lte(refunds.createdAt, before),
        realOrders(testMode),
      ),
    );
  return { number: sums?.number ?? 0, paise: sums?.paise ?? 0 };
}

/** Payments since `since` that came when their tool was sold out, by tool, most first. */
export function sumSoldOutRefunds(
  executor: Executor,
  testMode: boolean,
  since: Date,
): Promise<Array<{ toolName: string; number: number; paise: number }>> {
  return executor
    .select({ toolName: userPurchases.toolName, number, paise })
    .from(refunds)
    .innerJoin(paymentAttempts, eq(paymentAttempts.id, refunds.attemptId))
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .innerJoin(userPurchases, eq(userPurchases.id, paymentOrders.purchaseId))
    .where(and(eq(refunds.reason, "out-of-stock"), gte(refunds.createdAt, since), realOrders(testMode)))
    .groupBy(userPurchases.toolName)
    .orderBy(desc(number), asc(userPurchases.toolName));
}
