import { and, asc, desc, eq, gte, inArray, lte, not, or, sql } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { paymentAttempts, paymentDisputes, paymentOrders, refunds } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { isHeldByDispute } from "../paid.server.ts";
import { acceptsTestPasses } from "../pass-validity.server.ts";
import { IS_PAYOUT, listPromisedPayouts } from "../payments/credits.server.ts";
import { asksForRefund, OPEN_DISPUTE_STATES } from "../payments/payment-states.ts";
import { isInMode, selectLedgerAudit } from "./audit-ledger.server.ts";
import { countUnaccountedPayments } from "./discrepancies.ts";
import {
  type FailedRefund,
  LOST_DISPUTE_WINDOW_MS,
  OVERDUE_AFTER_MS,
  type PaymentNotices,
  SOLD_OUT_WINDOW_MS,
} from "./payment-notices.ts";

const FAILED_REFUNDS_LISTED = 10;

/** @throws DomainError unauthenticated, forbidden */
export async function readPaymentNotices(ctx: Context): Promise<PaymentNotices> {
  requireAdmin(ctx, "reads");
  const now = ctx.clock.now().getTime();
  const includeTestMode = acceptsTestPasses(ctx);
  const [failedRefunds, disputes, overdueRefunds, audit, soldOut, promisedPayouts] = await Promise.all([
    selectFailedRefunds(ctx.db, includeTestMode, FAILED_REFUNDS_LISTED),
    selectDisputeNotices(ctx.db, includeTestMode, new Date(now - LOST_DISPUTE_WINDOW_MS)),
    sumOverdueRefunds(ctx.db, includeTestMode, new Date(now - OVERDUE_AFTER_MS)),
    selectLedgerAudit(ctx.db),
    sumSoldOutRefunds(ctx.db, includeTestMode, new Date(now - SOLD_OUT_WINDOW_MS)),
    listPromisedPayouts(ctx.db),
  ]);
  const unaccounted = {
    number: countUnaccountedPayments(audit?.counts ?? {}),
    paymentIds: audit?.paymentIds ?? [],
  };
  return { failedRefunds, disputes, overdueRefunds, promisedPayouts, unaccounted, soldOut };
}

const DISPUTES_LISTED = 10;

/** Disputes that are open, those in the phase fraud that the owner has to refund, and those lost since `lostSince`. */
async function selectDisputeNotices(
  executor: Executor,
  includeTestMode: boolean,
  lostSince: Date,
): Promise<PaymentNotices["disputes"]> {
  const isOpen = inArray(paymentDisputes.status, OPEN_DISPUTE_STATES);
  const refunded = sql<number>`coalesce((select sum(${refunds.amountPaise}) from ${refunds}
    where ${refunds.attemptId} = ${paymentAttempts.id} and ${refunds.status} in ('processing', 'processed')), 0)`;
  const rows = await executor
    .select({
      dispute: paymentDisputes,
      purchaseId: userPurchases.id,
      toolName: userPurchases.toolName,
      email: userPurchases.userEmail,
      isRefunded: sql`coalesce(${paymentAttempts.outcome} in ('refund', 'chargeback'), false)`.mapWith(
        Boolean,
      ),
      isLostTwice:
        sql`coalesce(${paymentAttempts.lostPaise} + ${refunded} > ${paymentAttempts.amountPaise}, false)`.mapWith(
          Boolean,
        ),
      total: sql<number>`count(*) over ()`.mapWith(Number),
    })
    .from(paymentDisputes)
    .leftJoin(paymentAttempts, eq(paymentAttempts.gatewayPaymentId, paymentDisputes.gatewayPaymentId))
    .leftJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .leftJoin(userPurchases, eq(userPurchases.id, paymentOrders.purchaseId))
    .where(
      and(
        includeTestMode ? undefined : not(paymentDisputes.testMode),
        or(isOpen, and(eq(paymentDisputes.status, "lost"), gte(paymentDisputes.updatedAt, lostSince))),
        // What the bank reports as fraud is done once it is refunded.
        sql`not (${paymentDisputes.phase} = 'fraud' and coalesce(${paymentAttempts.outcome}, '') = 'refund')`,
      ),
    )
    .orderBy(desc(isOpen), sql`${paymentDisputes.respondBy} asc nulls last`, asc(paymentDisputes.id))
    .limit(DISPUTES_LISTED);
  return {
    disputes: rows.map(({ dispute, purchaseId, toolName, email, isRefunded, isLostTwice }) => ({
      id: dispute.id,
      gatewayPaymentId: dispute.gatewayPaymentId,
      amountPaise: dispute.amountPaise,
      deductedPaise: dispute.deductedPaise,
      status: dispute.status,
      respondBy: dispute.respondBy,
      reason: dispute.reason ?? dispute.reasonCode,
      purchase:
        purchaseId === null || toolName === null
          ? null
          : { id: purchaseId, toolName, email: email?.includes("@") ? email : null },
      mustRefund: asksForRefund(dispute) && !isRefunded,
      isLostTwice,
    })),
    total: rows[0]?.total ?? 0,
  };
}

/** A refund less what the owner has already refunded by hand. */
const owedPaise = sql<number>`(${refunds.amountPaise} - ${paymentAttempts.refundedPaise})`.mapWith(Number);
const sumOfOwedPaise = sql<number>`coalesce(sum(${owedPaise}), 0)`.mapWith(Number);
const sumOfPaise = sql<number>`coalesce(sum(${refunds.amountPaise}), 0)`.mapWith(Number);
const number = sql<number>`count(*)`.mapWith(Number);

/** The oldest failed refunds, and how many there are. */
async function selectFailedRefunds(
  executor: Executor,
  includeTestMode: boolean,
  limit: number,
): Promise<{ refunds: FailedRefund[]; total: number }> {
  const rows = await executor
    .select({
      id: refunds.id,
      paymentId: paymentAttempts.gatewayPaymentId,
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

/** Unfinished refunds through the gateway that were requested at or before `before` and that no dispute holds. */
async function sumOverdueRefunds(
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
        not(IS_PAYOUT),
        not(isHeldByDispute(paymentAttempts.gatewayPaymentId)),
        isInMode(includeTestMode),
      ),
    );
  return { number: sums?.number ?? 0, paise: sums?.paise ?? 0 };
}

/**
 * How many refunds are requested or processing and not held by a dispute (`waiting`), how many of these for more than a day, and
 * how many have failed.
 */
export async function countUnfinishedRefunds(
  executor: Executor,
  includeTestMode: boolean,
  now: Date,
): Promise<{ waiting: number; overdue: number; failed: number }> {
  const [waiting, overdue, failed] = await Promise.all([
    sumOverdueRefunds(executor, includeTestMode, now),
    sumOverdueRefunds(executor, includeTestMode, new Date(now.getTime() - OVERDUE_AFTER_MS)),
    selectFailedRefunds(executor, includeTestMode, 1),
  ]);
  return { waiting: waiting.number, overdue: overdue.number, failed: failed.total };
}

/** Late payments that were refunded since `since` because the tool was sold out, by tool, most first. */
function sumSoldOutRefunds(
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
