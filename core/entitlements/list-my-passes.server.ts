import { and, desc, eq, exists, inArray, isNotNull, isNull, ne, or, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { tools } from "#db/tables/catalog.ts";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { requireSignedIn } from "../authorise.ts";
import { refundReasonInWords } from "../checkout/refund-words.ts";
import type { Context } from "../context.ts";
import { type PassView, sortPasses } from "./pass-view.ts";
import { testPassesCount } from "./test-passes.ts";

const seenAttempts = alias(paymentAttempts, "seen_attempts");

/** The signed-in user's passes: running ones soonest to end first, past ones newest first, and unpaid checkouts. */
export async function listMyPasses(
  ctx: Context,
): Promise<{ active: PassView[]; past: PassView[]; pending: PassView[] }> {
  const actor = requireSignedIn(ctx);
  const seenPayment = ctx.db
    .select({ one: sql`1` })
    .from(seenAttempts)
    .where(
      and(
        eq(seenAttempts.orderId, paymentOrders.id),
        inArray(seenAttempts.status, ["authorized", "captured"]),
      ),
    );
  const rows = await ctx.db
    .select({
      id: userPurchases.id,
      toolName: userPurchases.toolName,
      toolSlug: tools.slug,
      optionLabel: userPurchases.optionLabel,
      status: userPurchases.status,
      startsAt: userPurchases.startsAt,
      expiresAt: userPurchases.expiresAt,
      endedReason: userPurchases.endedReason,
      createdAt: userPurchases.createdAt,
      amountPaise: userPurchases.amount,
      paidAt: userPurchases.capturedAt,
      paymentSeen: exists(seenPayment).mapWith(Boolean),
      refund: { status: refunds.status, amountPaise: refunds.amount, reason: refunds.reason },
    })
    .from(userPurchases)
    .leftJoin(tools, eq(tools.id, userPurchases.toolId))
    .leftJoin(paymentOrders, eq(paymentOrders.purchaseId, userPurchases.id))
    .leftJoin(
      paymentAttempts,
      and(eq(paymentAttempts.orderId, paymentOrders.id), eq(paymentAttempts.outcome, "refund")),
    )
    .leftJoin(refunds, eq(refunds.attemptId, paymentAttempts.id))
    .where(
      and(
        eq(userPurchases.userId, actor.userId),
        testPassesCount(ctx) ? undefined : eq(userPurchases.testMode, false),
        or(isNull(userPurchases.endedReason), ne(userPurchases.endedReason, "deleted")),
        // A failed try without money is nobody's news; one whose money goes back is.
        or(ne(userPurchases.status, "failed"), isNotNull(refunds.id)),
      ),
    )
    .orderBy(desc(userPurchases.createdAt))
    .limit(200);
  const facts = rows.map(({ refund, ...purchase }) => ({
    ...purchase,
    refund: refund && {
      status: refund.status,
      amountPaise: refund.amountPaise,
      why: refundReasonInWords(refund.reason),
    },
  }));
  return sortPasses(facts, ctx.clock.now());
}
