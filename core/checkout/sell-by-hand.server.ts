import { eq } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";
import type { UnknownPayment } from "#db/tables/payments.ts";
import { inTransaction, isExclusionViolation, violatedConstraint } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import { requireConfirmedShop } from "../backups/restored-shop.server.ts";
import { OFFERED_PRICE } from "../catalog/on-sale.server.ts";
import type { Context } from "../context.ts";
import { consumeRedemption, findCoupon } from "../coupons/redeem-coupons.server.ts";
import { DomainError, InvalidInputError } from "../errors.ts";
import { queuePurchaseMail } from "../mail/queue-mail.server.ts";
import { formatPaise } from "../money.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { givePass } from "../passes/give-pass.server.ts";
import { recordCredit } from "../payments/credits.server.ts";
import { REFERENCE_TAKEN } from "../payments/schemas.ts";
import {
  assignUnknownPayment,
  describeLostPurchase,
  lockUnknownPayment,
} from "../payments/unknown-payments.server.ts";
import { takeOverUnconfirmed } from "../take-over-account.server.ts";
import { replaceCheckout, reserve } from "./hold-purchase.server.ts";
import { sellByHandSchema } from "./sell-by-hand-schema.ts";

type Sale = z.output<typeof sellByHandSchema>;

/**
 * The admin records a sale outside of the shop: in one transaction a pass, and the payment for it in an order of the gateway
 * `manual`, which counts as revenue and is never in test mode. The pass starts now, or with `renews` at the end of the running
 * one. It takes a unit of stock and a use of the coupon, if any. The buyer's open checkout of the tool is replaced and
 * its unit goes over, so that a payment of it that arrives later is refunded.
 *
 * A reference that is the id of an unknown payment assigns that payment to the buyer instead: the gateway has the money, so the
 * sale gets the payment and its order, and no payment of the gateway `manual`. An account that the order does not name and that
 * nobody has confirmed is taken over first: somebody else may have signed up with the payer's address.
 *
 * @throws DomainError unauthenticated, forbidden, password-needed, invalid-input (also for an unknown option, a reference that is
 *   recorded already, and an amount that is not the unknown payment's), shop-not-confirmed, payment-already-handled,
 *   tool-out-of-stock, and what `holdRedemption` and `givePass` throw
 */
export async function sellByHand(
  ctx: Context,
  input: z.input<typeof sellByHandSchema> | UntrustedInput,
): Promise<{ purchaseId: string; expiresAt: Date; isTakenOver: boolean }> {
  requireAdmin(ctx, "moves-money");
  const sale = parseInput(sellByHandSchema, input);
  try {
    const { isAssigned, ...sold } = await inTransaction(ctx.db, (tx) => sellInTransaction(ctx, tx, sale));
    if (sale.sendMail) ctx.ports.jobs.triggerSoon("send-mail");
    if (isAssigned) ctx.ports.jobs.triggerSoon("reconcile-orders");
    return sold;
  } catch (error) {
    if (violatedConstraint(error) === "credits_reference_key")
      throw new InvalidInputError({ reference: [REFERENCE_TAKEN] });
    // A payment of the user became a pass for this tool at the same time.
    if (isExclusionViolation(error)) throw new DomainError(sale.renews ? "renewal-waiting" : "already-owned");
    throw error;
  }
}

async function sellInTransaction(ctx: Context, tx: Transaction, sale: Sale) {
  await requireConfirmedShop(tx);
  const { userId, toolId, renews, amount: amountPaise, coupon: couponCode, way } = sale;
  const payment = await lockUnknownPayment(tx, sale.reference);
  if (payment !== null && payment.amountPaise !== amountPaise)
    throw new InvalidInputError({ amount: [describeOtherAmount(payment)] });
  // The order names the account that has paid. Any other one is found by its address alone.
  const isTakenOver =
    payment !== null &&
    payment.buyerId !== userId &&
    (await takeOverUnconfirmed(ctx, tx, [userId])).has(userId);
  const offer = await findOffer(tx, sale);
  const paid = payment === null ? describeSale(ctx, sale) : await describeLostPurchase(tx, payment);
  const { openCheckout, account, tool, purchaseId, expiresAt } = await givePass(ctx, tx, {
    userId,
    toolId,
    renews,
    ...(offer.validityDays !== null && { validityDays: offer.validityDays }),
    ...(payment === null
      ? { source: "admin", notes: "Paid by hand, recorded by admin" }
      : { source: "checkout", notes: "Paid before the restore from a backup, assigned by admin" }),
    assignedBy: "admin",
    stockState: "used",
    paid: {
      ...paid,
      listPricePaise: Math.max(offer.listPricePaise ?? 0, paid.amountPaise),
      optionLabel: offer.optionLabel,
      couponCode,
    },
  });
  const coupon = couponCode === null ? null : await findCoupon(tx, couponCode);
  const hasUnit = await replaceCheckout(ctx, tx, openCheckout, coupon);
  await reserve(ctx, tx, { tool, purchaseId, couponCode, coupon, hasUnit });
  if (couponCode !== null) await consumeRedemption(ctx, tx, purchaseId);
  if (payment === null) await recordCredit(ctx, tx, { ...sale, purchaseId, amountPaise });
  else await assignUnknownPayment(ctx, tx, payment, purchaseId);
  await recordAudit(ctx, tx, {
    action: payment === null ? "purchase.sold-by-hand" : "unknown-payment.assigned",
    subjectType: "purchase",
    subjectId: purchaseId,
    details: {
      amountPaise,
      ...(payment === null ? { way } : { paymentId: payment.gatewayPaymentId }),
      renews,
      before: null,
      after: { userId, toolId, toolName: tool.name, expiresAt },
    },
  });
  if (sale.sendMail)
    await queuePurchaseMail(ctx, tx, "purchase-receipt", {
      id: purchaseId,
      userEmail: account.email,
      toolName: tool.name,
      testMode: paid.testMode,
    });
  return { purchaseId, expiresAt, isTakenOver, isAssigned: payment !== null };
}

const describeOtherAmount = ({ amountPaise, gatewayPaymentId }: UnknownPayment) =>
  `${formatPaise(amountPaise)} was paid with ${gatewayPaymentId}. Enter this amount.`;

const describeSale = ({ clock }: Context, { amount }: Sale) => ({
  purchaseId: uuidv7(),
  orderNumber: null,
  amountPaise: amount,
  currency: "INR",
  testMode: false,
  at: clock.now(),
});

/**
 * What was sold: the chosen option, else the tool's own pass, else a number of days that has no price in the shop.
 *
 * @throws InvalidInputError for an option that the tool does not have
 */
async function findOffer(
  tx: Transaction,
  { toolId, option: label, validityDays }: Sale,
): Promise<{ optionLabel: string | null; validityDays: number | null; listPricePaise: number | null }> {
  const [tool] = await tx
    .select({ options: tools.pricingOptions, pricePaise: OFFERED_PRICE, validityDays: tools.validityDays })
    .from(tools)
    .where(eq(tools.id, toolId));
  const option = tool?.options.find((one) => one.label === label);
  if (option)
    return { optionLabel: label, validityDays: option.validityDays, listPricePaise: option.pricePaise };
  if (label !== null) throw new InvalidInputError({ option: ["This option does not exist."] });
  const isOwn = validityDays === null || validityDays === tool?.validityDays;
  return { optionLabel: null, validityDays, listPricePaise: isOwn ? (tool?.pricePaise ?? null) : null };
}
