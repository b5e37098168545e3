import { eq } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import { inTransaction, isExclusionViolation, violatedConstraint } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import { requireConfirmedShop } from "../backups/restored-shop.server.ts";
import { OFFERED_PRICE } from "../catalog/on-sale.server.ts";
import { reserveStock } from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import {
  consumeRedemption,
  findCoupon,
  holdRedemption,
  lockCouponsOf,
} from "../coupons/redeem-coupons.server.ts";
import { DomainError, InvalidInputError } from "../errors.ts";
import { queuePurchaseMail } from "../mail/queue-mail.server.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { applyPurchaseEvent } from "../passes/apply-purchase-event.server.ts";
import { givePass } from "../passes/give-pass.server.ts";
import { recordCredit } from "../payments/credits.server.ts";
import { REFERENCE_TAKEN } from "../payments/schemas.ts";
import { sellByHandSchema } from "./sell-by-hand-schema.ts";

type Sale = z.output<typeof sellByHandSchema>;

/**
 * The admin records a sale outside of the shop: in one transaction a pass, and the payment for it in an order of the gateway
 * `manual`, which counts as revenue and is never in test mode. The pass starts now, or with `renews` at the end of the running
 * one. It takes a unit of stock and a use of the coupon, if there is one. The buyer's open checkout of the tool is replaced and
 * its unit goes over, so that a payment of it that arrives later is refunded.
 *
 * @throws DomainError unauthenticated, forbidden, password-needed, invalid-input (also for an unknown option and a reference that
 *   is recorded already), shop-not-confirmed, tool-out-of-stock, those of `holdRedemption` and of `givePass`
 */
export async function sellByHand(
  ctx: Context,
  input: z.input<typeof sellByHandSchema> | UntrustedInput,
): Promise<{ purchaseId: string; expiresAt: Date }> {
  requireAdmin(ctx, "moves-money");
  const sale = parseInput(sellByHandSchema, input);
  try {
    const sold = await inTransaction(ctx.db, (tx) => sellInTransaction(ctx, tx, sale));
    if (sale.sendMail) ctx.ports.jobs.triggerSoon("send-mail");
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
  const offer = await findOffer(tx, sale);
  const { openCheckout, account, tool, purchaseId, expiresAt } = await givePass(ctx, tx, {
    userId,
    toolId,
    renews,
    ...(offer.validityDays !== null && { validityDays: offer.validityDays }),
    source: "admin",
    assignedBy: "admin",
    notes: "Paid by hand, recorded by admin",
    stockState: "used",
    paid: {
      purchaseId: uuidv7(),
      orderNumber: null,
      amountPaise,
      listPricePaise: Math.max(offer.listPricePaise ?? 0, amountPaise),
      optionLabel: offer.optionLabel,
      couponCode,
      currency: "INR",
      testMode: false,
      at: ctx.clock.now(),
    },
  });
  const coupon = couponCode === null ? null : await findCoupon(tx, couponCode);
  const hasUnit = openCheckout !== null && (await replaceCheckout(ctx, tx, openCheckout, coupon));
  if (couponCode !== null) {
    await holdRedemption(ctx, tx, { coupon, toolId, purchaseId });
    await consumeRedemption(ctx, tx, purchaseId);
  }
  if (!hasUnit && !(await reserveStock(ctx, tx, { toolId, purchaseId })))
    throw new DomainError("tool-out-of-stock", { tool: tool.name });
  await recordCredit(ctx, tx, { ...sale, purchaseId, amountPaise });
  await recordAudit(ctx, tx, {
    action: "purchase.sold-by-hand",
    subjectType: "purchase",
    subjectId: purchaseId,
    details: {
      amountPaise,
      way,
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
      testMode: false,
    });
  return { purchaseId, expiresAt };
}

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

/** A purchase has one order, so the checkout cannot become the sale. @returns whether its unit of stock goes over to the sale */
async function replaceCheckout(
  ctx: Context,
  tx: Transaction,
  checkout: Purchase,
  coupon: Awaited<ReturnType<typeof findCoupon>>,
): Promise<boolean> {
  if (checkout.couponCode && coupon) await lockCouponsOf(tx, [checkout.id], coupon);
  await applyPurchaseEvent(ctx, tx, checkout, { type: "replaced" }, { transfersStock: true });
  return checkout.stockState === "held";
}
