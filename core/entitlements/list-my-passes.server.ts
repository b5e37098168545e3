import { and, desc, eq, exists, inArray, isNotNull, isNull, ne, or, sql } from "drizzle-orm";
import { tools } from "#db/tables/catalog.ts";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { findRefundMessage } from "../purchases/refund-reasons.ts";
import { type PassView, type PurchaseFacts, sortPasses } from "./pass-view.ts";
import { acceptsTestPasses } from "./test-passes.ts";

/** The newest so many purchases of a buyer are listed. */
const MOST_PURCHASES = 200;

/** The signed-in user's passes: running ones soonest to end first, past ones newest first, and unpaid checkouts. */
export async function listMyPasses(
  ctx: Context,
): Promise<{ active: PassView[]; past: PassView[]; pending: PassView[] }> {
  const actor = requireSignedIn(ctx);
  const withMoney = ctx.db
    .select({ one: sql`1` })
    .from(paymentOrders)
    .innerJoin(paymentAttempts, eq(paymentAttempts.orderId, paymentOrders.id))
    .where(
      and(
        eq(paymentOrders.purchaseId, userPurchases.id),
        or(isNotNull(paymentAttempts.outcome), eq(paymentAttempts.status, "authorized")),
      ),
    );
  const purchases = await ctx.db
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
      amountPaise: userPurchases.amountPaise,
      paidAt: userPurchases.capturedAt,
    })
    .from(userPurchases)
    .leftJoin(tools, eq(tools.id, userPurchases.toolId))
    .where(
      and(
        eq(userPurchases.userId, actor.userId),
        acceptsTestPasses(ctx) ? undefined : eq(userPurchases.testMode, false),
        or(isNull(userPurchases.endedReason), ne(userPurchases.endedReason, "deleted")),
        // A failed try without money is nobody's news; one with an approved or refunded payment is.
        or(ne(userPurchases.status, "failed"), exists(withMoney)),
      ),
    )
    .orderBy(desc(userPurchases.createdAt), desc(userPurchases.id))
    .limit(MOST_PURCHASES);
  const payments = await readPayments(
    ctx,
    purchases.map(({ id }) => id),
  );
  const facts = purchases.map((purchase) => ({ ...purchase, ...paymentFacts(payments.get(purchase.id)) }));
  return sortPasses(facts, ctx.clock.now());
}

type PaymentRow = Awaited<ReturnType<typeof selectPayments>>[number];

async function readPayments(
  ctx: Context,
  purchaseIds: readonly string[],
): Promise<Map<string, PaymentRow[]>> {
  const payments = new Map<string, PaymentRow[]>();
  for (const payment of await selectPayments(ctx, purchaseIds)) {
    payments.set(payment.purchaseId, [...(payments.get(payment.purchaseId) ?? []), payment]);
  }
  return payments;
}

/** Every payment of the purchases, oldest first, with its refund. */
function selectPayments(ctx: Context, purchaseIds: readonly string[]) {
  return (
    ctx.db
      .select({
        purchaseId: paymentOrders.purchaseId,
        status: paymentAttempts.status,
        outcome: paymentAttempts.outcome,
        uncapturedReason: paymentAttempts.uncapturedReason,
        amountPaise: paymentAttempts.amountPaise,
        returnedPaise: paymentAttempts.refundedPaise,
        updatedAt: paymentAttempts.updatedAt,
        refund: {
          status: refunds.status,
          amountPaise: refunds.amountPaise,
          reason: refunds.reason,
          at: refunds.updatedAt,
        },
      })
      .from(paymentAttempts)
      .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
      .leftJoin(refunds, eq(refunds.attemptId, paymentAttempts.id))
      .where(inArray(paymentOrders.purchaseId, [...purchaseIds]))
      // Keys grow with time.
      .orderBy(paymentAttempts.id, refunds.id)
  );
}

function paymentFacts(
  payments: readonly PaymentRow[] = [],
): Pick<PurchaseFacts, "paymentSeen" | "refunds" | "notTaken"> {
  const isUndecided = ({ status, uncapturedReason }: PaymentRow) =>
    status === "authorized" && uncapturedReason === null;
  return {
    paymentSeen: payments.some((payment) => payment.status === "captured" || isUndecided(payment)),
    refunds: payments.flatMap(({ outcome, returnedPaise, updatedAt, refund }) => {
      if (refund) {
        const { status, amountPaise, reason, at } = refund;
        return [{ status, amountPaise, at, why: findRefundMessage(reason) }];
      }
      if (outcome === null || returnedPaise === 0) return [];
      // A part that the owner refunded on the gateway's pages has no refund of ours.
      const part = { status: "processed" as const, amountPaise: returnedPaise, at: updatedAt };
      return [{ ...part, why: "The shop has refunded a part of the price." }];
    }),
    notTaken:
      payments
        .flatMap(({ status, uncapturedReason, amountPaise, updatedAt }) =>
          status === "authorized" && uncapturedReason !== null
            ? [{ amountPaise, at: updatedAt, why: findRefundMessage(uncapturedReason) }]
            : [],
        )
        .at(-1) ?? null,
  };
}
