import { and, eq, inArray } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Transaction } from "#db/database.ts";
import { type PaymentAttempt, refunds } from "#db/tables/payments.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import { changed } from "#db/transaction.ts";
import { recordAudit } from "../../audit/record-audit.server.ts";
import type { Context } from "../../context.ts";
import { REFUND_TABLE } from "../machines/refund-machine.ts";
import { statesChangedBy } from "../machines/state-table.ts";

/**
 * Makes a processed refund due again, because the gateway reports that the shop still has money of it. It gets a new
 * idempotency key. A stale response does no harm: the gateway rejects a refund of more than is left of the payment.
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
      // The refund counts as overdue by its age, so its age starts now.
      createdAt: ctx.clock.now(),
      updatedAt: ctx.clock.now(),
    })
    .where(
      and(
        eq(refunds.attemptId, attempt.id),
        inArray(refunds.status, statesChangedBy(REFUND_TABLE, "reopened")),
      ),
    )
    .returning({ id: refunds.id });
  changed(tx, refunds);
  if (!reopened) return false;
  await recordAudit(ctx, tx, {
    action: "refund.reopened",
    subjectType: "purchase",
    subjectId: purchase.id,
    details: { paymentId: attempt.gatewayPaymentId },
  });
  ctx.log.error({ refundId: reopened.id }, "a processed refund was not paid out; it is sent again");
  return true;
}

/** Completes a failed refund that the owner made on the gateway's own pages. @returns whether there was one */
export async function markFailedRefundProcessed(
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
        inArray(refunds.status, statesChangedBy(REFUND_TABLE, "completed-at-gateway")),
      ),
    )
    .returning({ id: refunds.id });
  changed(tx, refunds);
  return completed.length > 0;
}
