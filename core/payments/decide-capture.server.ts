import { eq } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { type PaymentAttempt, paymentAttempts } from "#db/tables/payments.ts";
import { changed } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { isUnconfirmedRestore } from "../backups/restored-shop.server.ts";
import type { Context } from "../context.ts";
import { queueMail } from "../mail/queue-mail.server.ts";
import { decidePurchaseEvent } from "../passes/apply-purchase-event.server.ts";
import { refundMessage } from "../refund-reasons.ts";
import { DAY } from "../time.ts";
import { type CaptureInput, readCaptureEvent } from "./capture-event.server.ts";
import type { PaidAmount } from "./paid-amount.ts";
import { paymentStateOf, paymentTransition } from "./payment-states.ts";

type AuthorisedPayment = Omit<CaptureInput, "overlaps"> & { attempt: PaymentAttempt };

/** Then an undecided payment is left uncaptured: the gateway returns it after 3 days by default, and the buyer is told before. */
const UNDECIDED_AT_MOST_MS = 2 * DAY;

/**
 * Decides whether an authorised payment is captured: only when its purchase would become a pass now, with the locks and facts of a
 * real capture. A payment that would be refunded at once is left uncaptured, because the gateway returns it by itself and takes
 * no fee for it. The buyer gets a mail about it, so the decision is final. Nothing is decided while the amount is undecided and
 * nothing else prevents the pass, for two days at most. A restored shop decides nothing before an admin has confirmed it: the shop
 * that it is a copy of may capture the payment.
 *
 * @returns `capture`: to be captured, after the running transaction; `undecided`: the gateway is to be asked again
 */
export async function decideCapture(
  ctx: Context,
  tx: Transaction,
  authorised: AuthorisedPayment,
): Promise<"capture" | "undecided" | null> {
  const { purchase, payment, attempt } = authorised;
  if (paymentStateOf(attempt) !== "authorized" || payment.status !== "authorized") return null;
  if (await isUnconfirmedRestore(tx)) return null;
  const isUndecided = authorised.paid.pays === "undecided";
  const waitedMs = ctx.clock.now().getTime() - attempt.updatedAt.getTime();
  const isOverdue = isUndecided && waitedMs >= UNDECIDED_AT_MOST_MS;
  const paid: PaidAmount = isOverdue ? { pays: "another-amount" } : authorised.paid;
  const event = await readCaptureEvent(ctx, tx, { purchase, payment, paid, overlaps: false });
  const { transition: outcome } = await decidePurchaseEvent(ctx, tx, purchase, event);
  const reason = (outcome.kind === "transition" && outcome.refund) || null;
  if (reason === null && isUndecided) {
    const facts = { purchaseId: purchase.id, paymentId: payment.gatewayPaymentId };
    ctx.log.warn(facts, "the amount of a payment is undecided; the gateway is asked again");
  }
  if (reason === null) return isUndecided ? "undecided" : "capture";
  const transition = paymentTransition("authorized", "leave-uncaptured");
  if (transition.kind !== "transition") throw new Error("an authorised payment cannot be left uncaptured");
  await tx
    .update(paymentAttempts)
    .set({ uncapturedReason: reason, updatedAt: ctx.clock.now() })
    .where(eq(paymentAttempts.id, attempt.id));
  changed(tx, paymentAttempts);
  // The address of a deleted account is removed.
  if (purchase.userEmail.includes("@")) {
    await queueMail(ctx, tx, {
      to: purchase.userEmail,
      kind: "payment-not-taken",
      facts: {
        toolName: purchase.toolName,
        amountPaise: attempt.amountPaise,
        reason: refundMessage(reason),
        testMode: purchase.testMode,
      },
    });
  }
  await recordAudit(ctx, tx, {
    action: "payment.left-uncaptured",
    subjectType: "purchase",
    subjectId: purchase.id,
    details: { reason, paymentId: payment.gatewayPaymentId, amountPaise: attempt.amountPaise },
  });
  ctx.log.warn(
    { purchaseId: purchase.id, paymentId: payment.gatewayPaymentId, reason },
    "payment left uncaptured",
  );
  return null;
}
