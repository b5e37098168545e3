import { and, desc, eq, exists, inArray, isNotNull, isNull, ne, or, sql } from "drizzle-orm";
import { tools } from "#db/tables/catalog.ts";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { isInAcceptedMode } from "../accepted-mode.server.ts";
import { requireSignedIn } from "../authorise.ts";
import { IS_ON_SALE } from "../catalog/on-sale.server.ts";
import type { Context } from "../context.ts";
import { findRefundMessage } from "../purchases/refund-reasons.ts";
import { type GroupedPasses, groupPasses, type PurchaseWithPayments } from "./group-passes.server.ts";

/** Only the newest purchases of a buyer are listed. */
const PURCHASES_LISTED = 200;

/** The passes and checkouts of the signed-in user. @throws DomainError 'unauthenticated' */
export async function listMyPasses(ctx: Context): Promise<GroupedPasses> {
  const actor = requireSignedIn(ctx, "reads");
  const paymentToShow = ctx.db
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
      // Null without a tool.
      onSale: sql<boolean | null>`(${IS_ON_SALE})`,
      worksOn: tools.worksOn,
      optionLabel: userPurchases.optionLabel,
      validityDays: userPurchases.validityDays,
      source: userPurchases.source,
      status: userPurchases.status,
      startsAt: userPurchases.startsAt,
      expiresAt: userPurchases.expiresAt,
      endedAt: userPurchases.endedAt,
      endedReason: userPurchases.endedReason,
      createdAt: userPurchases.createdAt,
      amountPaise: userPurchases.amountPaise,
      capturedAt: userPurchases.capturedAt,
    })
    .from(userPurchases)
    .leftJoin(tools, eq(tools.id, userPurchases.toolId))
    .where(
      and(
        eq(userPurchases.userId, actor.userId),
        isInAcceptedMode(ctx),
        or(isNull(userPurchases.endedReason), ne(userPurchases.endedReason, "deleted")),
        // A failed purchase is listed only with an authorised or captured payment.
        or(ne(userPurchases.status, "failed"), exists(paymentToShow)),
      ),
    )
    .orderBy(desc(userPurchases.createdAt), desc(userPurchases.id))
    .limit(PURCHASES_LISTED);
  const payments = await readPayments(
    ctx,
    purchases.map(({ id }) => id),
  );
  return groupPasses(
    purchases.map((purchase) => ({
      ...purchase,
      onSale: purchase.onSale === true,
      ...summarisePayments(payments.get(purchase.id)),
    })),
    ctx.clock.now(),
  );
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
        refundedPaise: paymentAttempts.refundedPaise,
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
      // Keys are UUIDv7, so they are in the order of creation.
      .orderBy(paymentAttempts.id, refunds.id)
  );
}

function summarisePayments(
  payments: readonly PaymentRow[] = [],
): Pick<PurchaseWithPayments, "paymentSeen" | "refunds" | "uncapturedPayment"> {
  const mayBeCaptured = ({ status, uncapturedReason }: PaymentRow) =>
    status === "authorized" && uncapturedReason === null;
  return {
    paymentSeen: payments.some((payment) => payment.status === "captured" || mayBeCaptured(payment)),
    refunds: payments.flatMap(({ outcome, refundedPaise, updatedAt, refund }) => {
      if (refund) {
        const { status, amountPaise, reason, at } = refund;
        return [{ status, amountPaise, at, why: findRefundMessage(reason) }];
      }
      if (outcome === null || refundedPaise === 0) return [];
      // A partial refund that the owner made on the gateway's pages has no row in `refunds`.
      const part = { status: "processed" as const, amountPaise: refundedPaise, at: updatedAt };
      return [{ ...part, why: "The shop has refunded a part of the price." }];
    }),
    uncapturedPayment:
      payments
        .flatMap(({ status, uncapturedReason, amountPaise, updatedAt }) =>
          status === "authorized" && uncapturedReason !== null
            ? [{ amountPaise, at: updatedAt, why: findRefundMessage(uncapturedReason) }]
            : [],
        )
        .at(-1) ?? null,
  };
}
