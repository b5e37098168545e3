import { and, eq, inArray } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Transaction } from "#db/database.ts";
import { type PaymentAttempt, refunds } from "#db/tables/payments.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import type { Context } from "../context.ts";
import { refundStatesChangedBy } from "./refund-machine.ts";

/**
 * The gateway reports that money of a processed refund is still with the shop: the refund is sent again, with a new
 * idempotency key. The gateway rejects a refund of more than is left, so that a stale response does no harm.
 *
 * @returns whether a refund was reopened
 */
export async function reopenRefund(
  ctx: Context,
  tx: Transaction,
  { purchase, attempt }: { purchase: Purchase; attempt: PaymentAttempt },
): Promise<boolean> {
  const [reopened] = await tx
    .update(refunds)
    .set({
      status: "requested",
      amountPaise: attempt.amountPaise,
      idempotencyKey: `refund-${attempt.id}-${uuidv7()}`,
      gatewayRefundId: null,
      tries: 0,
      // Due from now on, so not overdue yet.
      createdAt: ctx.clock.now(),
      updatedAt: ctx.clock.now(),
    })
    .where(and(eq(refunds.attemptId, attempt.id), inArray(refunds.status, refundStatesChangedBy("reopened"))))
    .returning({ id: refunds.id });
  if (!reopened) return false;
  await recordAudit(ctx, tx, {
    action: "refund.reopened",
    subjectType: "purchase",
    subjectId: purchase.id,
    details: { paymentId: attempt.gatewayPaymentId },
  });
  ctx.log.error({ refundId: reopened.id }, "a processed refund did not arrive; it is sent again");
  return true;
}

/** A failed refund was made on the gateway's own pages. @returns whether there was one */
export async function completeFailedRefund(
  ctx: Context,
  tx: Transaction,
  attemptId: string,
  amountPaise: number,
): Promise<boolean> {
  const completed = await tx
    .update(refunds)
    .set({ status: "processed", amountPaise, lastError: null, updatedAt: ctx.clock.now() })
    .where(
      and(
        eq(refunds.attemptId, attemptId),
        inArray(refunds.status, refundStatesChangedBy("completed-at-gateway")),
      ),
    )
    .returning({ id: refunds.id });
  return completed.length > 0;
}
