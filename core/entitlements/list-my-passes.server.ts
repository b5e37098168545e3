import { and, desc, eq, isNotNull, isNull, ne, or } from "drizzle-orm";
import { tools } from "#db/tables/catalog.ts";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { type PassView, sortPasses } from "./pass-view.ts";
import { testPassesCount } from "./test-passes.ts";

/** The signed-in user's passes: running ones soonest to end first, past ones newest first, and money on its way. */
export async function listMyPasses(
  ctx: Context,
): Promise<{ active: PassView[]; past: PassView[]; pending: PassView[] }> {
  const actor = requireSignedIn(ctx);
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
      refundStatus: refunds.status,
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
  return sortPasses(rows, ctx.clock.now());
}
