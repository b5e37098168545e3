import { and, asc, desc, eq, gte, inArray, lte, sql } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { isInMode } from "./discrepancy-queries.server.ts";
import type { FailedRefund } from "./payment-notices.ts";

/** A refund less what the owner has already refunded by hand. */
const owedPaise = sql<number>`(${refunds.amountPaise} - ${paymentAttempts.refundedPaise})`.mapWith(Number);
const sumOfOwedPaise = sql<number>`coalesce(sum(${owedPaise}), 0)`.mapWith(Number);
const sumOfPaise = sql<number>`coalesce(sum(${refunds.amountPaise}), 0)`.mapWith(Number);
const number = sql<number>`count(*)`.mapWith(Number);

/** The oldest failed refunds, and how many there are. */
export async function selectFailedRefunds(
  executor: Executor,
  includeTestMode: boolean,
  limit: number,
): Promise<{ refunds: FailedRefund[]; total: number }> {
  const rows = await executor
    .select({
      id: refunds.id,
      paymentId: paymentAttempts.gatewayPaymentId,
      purchaseId: userPurchases.id,
      toolName: userPurchases.toolName,
      email: userPurchases.userEmail,
      amountPaise: owedPaise,
      total: sql<number>`count(*) over ()`.mapWith(Number),
    })
    .from(refunds)
    .innerJoin(paymentAttempts, eq(paymentAttempts.id, refunds.attemptId))
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .innerJoin(userPurchases, eq(userPurchases.id, paymentOrders.purchaseId))
    .where(and(eq(refunds.status, "failed"), isInMode(includeTestMode)))
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

/** Refunds requested at or before `before` that are neither processed nor failed. */
export async function sumOverdueRefunds(
  executor: Executor,
  includeTestMode: boolean,
  before: Date,
): Promise<{ number: number; paise: number }> {
  const [sums] = await executor
    .select({ number, paise: sumOfOwedPaise })
    .from(refunds)
    .innerJoin(paymentAttempts, eq(paymentAttempts.id, refunds.attemptId))
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .where(
      and(
        inArray(refunds.status, ["requested", "processing"]),
        lte(refunds.createdAt, before),
        isInMode(includeTestMode),
      ),
    );
  return { number: sums?.number ?? 0, paise: sums?.paise ?? 0 };
}

/** Late payments that were refunded since `since` because the tool was sold out, by tool, most first. */
export function sumSoldOutRefunds(
  executor: Executor,
  includeTestMode: boolean,
  since: Date,
): Promise<Array<{ toolName: string; number: number; paise: number }>> {
  return executor
    .select({ toolName: userPurchases.toolName, number, paise: sumOfPaise })
    .from(refunds)
    .innerJoin(paymentAttempts, eq(paymentAttempts.id, refunds.attemptId))
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .innerJoin(userPurchases, eq(userPurchases.id, paymentOrders.purchaseId))
    .where(and(eq(refunds.reason, "out-of-stock"), gte(refunds.createdAt, since), isInMode(includeTestMode)))
    .groupBy(userPurchases.toolName)
    .orderBy(desc(number), asc(userPurchases.toolName));
}
