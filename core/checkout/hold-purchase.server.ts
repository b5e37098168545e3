import { uuidv7 } from "uuidv7";
import type { Transaction } from "#db/database.ts";
import { prepareWrite, valueFor, valuesFor } from "#db/prepared-statement.ts";
import type { PricingOption } from "#db/tables/catalog.ts";
import { type PaymentOrder, paymentOrders } from "#db/tables/payments.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import { inTransaction, isExclusionViolation } from "#db/transaction.ts";
import type { AuthorisedContext, SignedInActor } from "../authorise.ts";
import { requireStock } from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import {
  findCoupon,
  findHeldCoupon,
  holdRedemption,
  lockCouponsOf,
} from "../coupons/redeem-coupons.server.ts";
import { DomainError } from "../errors.ts";
import { queuePurchaseMail } from "../mail/queue-mail.server.ts";
import { applyPurchaseEvent } from "../passes/apply-purchase-event.server.ts";
import type { PaymentGateway } from "../payments/payment-gateway.ts";
import { FIRST_POLL_AFTER_MS, findOrder } from "../payments/payment-orders.server.ts";
import { formatDate } from "../time.ts";
import { checkHoldLimits, checkNewcomersShare, lockBuyer } from "./hold-limits.server.ts";
import { HOLD_MS, renewableFrom } from "./hold-rules.ts";
import { type Quote, quotePrice } from "./pricing.ts";
import { lockOpenCheckoutsAndPasses } from "./queries.server.ts";

export type HeldCheckout =
  /** `resumed`: an earlier start of the same checkout created it. */
  | { kind: "to-pay"; purchase: Purchase; order: PaymentOrder; resumed: boolean }
  /** Nothing has to be paid: the pass is created. */
  | { kind: "nothing-to-pay"; purchase: Purchase };

interface HoldInput {
  actor: SignedInActor;
  tool: { id: string; name: string };
  option: PricingOption;
  /** Upper case; null: none. */
  couponCode: string | null;
  /** The buyer wants to add to the end of the pass. */
  renewal: boolean;
  cameFrom: string | null;
  gateway: PaymentGateway;
}

type Coupon = Awaited<ReturnType<typeof findCoupon>>;

/**
 * Creates the pending purchase with its unit of stock, its coupon use and its order row, in one transaction; or finds the
 * purchase that a second click, another tab or a reload created. Starts of one buyer wait for each other.
 *
 * @throws DomainError already-owned, renewal-too-early, renewal-waiting, tool-out-of-stock, too-many-checkouts,
 *   checkouts-too-fast, too-many-checkouts-here, units-being-paid-for, user-disabled, and what `holdRedemption` throws
 */
export async function holdPurchase(ctx: AuthorisedContext, input: HoldInput): Promise<HeldCheckout> {
  try {
    return await inTransaction(ctx.db, (tx) => holdInTransaction(ctx, tx, input));
  } catch (error) {
    // Another pass for the tool was created at the same time.
    if (isExclusionViolation(error)) throw new DomainError("already-owned");
    throw error;
  }
}

async function holdInTransaction(ctx: Context, tx: Transaction, input: HoldInput): Promise<HeldCheckout> {
  const { actor, tool, option } = input;
  const buyer = await lockBuyer(ctx, tx, actor.userId);
  const locked = await lockOpenCheckoutsAndPasses(ctx, tx, { userId: actor.userId, toolId: tool.id });
  const passes = locked.filter(({ status }) => status !== "pending");
  const open = locked.filter(({ status }) => status === "pending");
  const isRenewal = passes.length > 0;
  if (isRenewal) refuseUnlessRenewable(ctx, passes, input.renewal);
  const pending = open.find(({ toolId }) => toolId === tool.id);
  const coupon = input.couponCode === null ? null : await findCoupon(tx, input.couponCode);
  const quote = quotePrice(option.pricePaise, coupon?.discountPercentage ?? null);
  const order = pending && (await findResumable(ctx, tx, pending, { ...input, isRenewal }, coupon));
  if (pending && order) return { kind: "to-pay", purchase: pending, order, resumed: true };
  const others = open.filter((purchase) => purchase !== pending);
  const network = await checkHoldLimits(ctx, tx, { others, buyer, replacedId: pending?.id ?? null });
  const hasUnit = await replaceCheckout(ctx, tx, pending ?? null, coupon);
  const purchase = await insertPending(ctx, tx, input, { quote, network, isRenewal });
  const reservation = { tool, purchaseId: purchase.id, couponCode: input.couponCode, coupon, hasUnit };
  if (quote.chargedPaise === 0) {
    await reserve(ctx, tx, reservation);
    const applied = await applyPurchaseEvent(ctx, tx, purchase, { type: "granted" });
    await queuePurchaseMail(ctx, tx, "purchase-receipt", applied.purchase);
    ctx.log.info({ purchaseId: purchase.id, toolId: tool.id }, "nothing to pay: pass created");
    return { kind: "nothing-to-pay", purchase: applied.purchase };
  }
  const created = await insertOrder(ctx, tx, input.gateway, purchase);
  await reserve(ctx, tx, reservation);
  if (!hasUnit && network !== null) await checkNewcomersShare(tx, tool.id);
  ctx.log.info(
    { purchaseId: purchase.id, toolId: tool.id, amountPaise: purchase.amountPaise },
    "checkout started",
  );
  return { kind: "to-pay", purchase, order: created, resumed: false };
}

/** @param passes the buyer's active and waiting passes of the tool */
function refuseUnlessRenewable(ctx: Context, passes: readonly Purchase[], renewal: boolean): void {
  if (!renewal) throw new DomainError("already-owned");
  const now = ctx.clock.now();
  if (passes.some(({ startsAt }) => startsAt && startsAt > now)) throw new DomainError("renewal-waiting");
  const end = Math.max(...passes.map(({ expiresAt }) => expiresAt?.getTime() ?? 0));
  const from = renewableFrom(new Date(end));
  if (now < from) throw new DomainError("renewal-too-early", { from: formatDate(from, ctx.store.timeZone) });
}

/** @returns the order of an open checkout, if it is for the same option, coupon and price */
async function findResumable(
  ctx: Context,
  tx: Transaction,
  pending: Purchase,
  { option, couponCode, gateway, isRenewal }: HoldInput & { isRenewal: boolean },
  found: Coupon,
): Promise<PaymentOrder | null> {
  // A coupon that was deleted since is no longer found by its code. An open checkout keeps its discount.
  const coupon = found ?? (couponCode === null ? null : await findHeldCoupon(tx, pending.id));
  const quote = quotePrice(option.pricePaise, coupon?.discountPercentage ?? null);
  const isSame =
    pending.optionLabel === option.label &&
    pending.validityDays === option.validityDays &&
    pending.listPricePaise === option.pricePaise &&
    pending.couponCode === couponCode &&
    pending.amountPaise === quote.chargedPaise &&
    // Without a pass, a renewal starts at once, as any purchase.
    (pending.isRenewal || !isRenewal) &&
    pending.holdEndsAt !== null &&
    pending.holdEndsAt > ctx.clock.now();
  if (!isSame) return null;
  const order = await findOrder(tx, { purchaseId: pending.id });
  return order?.gateway === gateway.name && order.testMode === gateway.testMode ? order : null;
}

async function insertPending(
  ctx: Context,
  tx: Transaction,
  { actor, tool, option, couponCode, cameFrom, gateway }: HoldInput,
  { quote, network, isRenewal }: { quote: Quote; network: string | null; isRenewal: boolean },
): Promise<Purchase> {
  const now = ctx.clock.now();
  const [purchase] = await insertPurchaseRow(tx, {
    id: uuidv7(),
    userId: actor.userId,
    userEmail: actor.email,
    toolId: tool.id,
    toolName: tool.name,
    optionLabel: option.label,
    validityDays: option.validityDays,
    listPricePaise: option.pricePaise,
    discountPaise: quote.discountPaise,
    amountPaise: quote.chargedPaise,
    couponCode,
    cameFrom,
    isRenewal,
    holdEndsAt: new Date(now.getTime() + HOLD_MS),
    holdNetwork: network,
    testMode: gateway.testMode,
    createdAt: now,
  });
  if (!purchase) throw new Error("the insert of a purchase returned no row");
  return purchase;
}

const insertPurchaseRow = prepareWrite("insert-purchase", userPurchases, (tx) =>
  tx
    .insert(userPurchases)
    .values({
      ...valuesFor(userPurchases, ["id", "userId", "userEmail", "toolId", "toolName", "optionLabel"]),
      ...valuesFor(userPurchases, ["validityDays", "listPricePaise", "discountPaise", "amountPaise"]),
      ...valuesFor(userPurchases, [
        "couponCode",
        "cameFrom",
        "isRenewal",
        "holdEndsAt",
        "holdNetwork",
        "testMode",
        "createdAt",
      ]),
      updatedAt: valueFor(userPurchases.updatedAt, "createdAt"),
      status: "pending",
      source: "checkout",
      stockState: "held",
    })
    .returning(),
);

async function insertOrder(
  ctx: Context,
  tx: Transaction,
  gateway: PaymentGateway,
  purchase: Purchase,
): Promise<PaymentOrder> {
  const now = ctx.clock.now();
  const [order] = await insertOrderRow(tx, {
    id: uuidv7(),
    purchaseId: purchase.id,
    gateway: gateway.name,
    receipt: purchase.id,
    amountPaise: purchase.amountPaise,
    currency: purchase.currency,
    testMode: gateway.testMode,
    nextPollAt: new Date(now.getTime() + FIRST_POLL_AFTER_MS),
    createdAt: now,
  });
  if (!order) throw new Error("the insert of an order returned no row");
  return order;
}

const insertOrderRow = prepareWrite("insert-order", paymentOrders, (tx) =>
  tx
    .insert(paymentOrders)
    .values({
      ...valuesFor(paymentOrders, ["id", "purchaseId", "gateway", "receipt", "amountPaise", "currency"]),
      ...valuesFor(paymentOrders, ["testMode", "nextPollAt", "createdAt"]),
      updatedAt: valueFor(paymentOrders.updatedAt, "createdAt"),
    })
    .returning(),
);

/**
 * Ends an open checkout, because another purchase of its buyer takes its place. A purchase has one order, so the checkout cannot
 * become that purchase.
 *
 * @param coupon of the other purchase
 * @returns whether the unit of stock goes over to it
 */
export async function replaceCheckout(
  ctx: Context,
  tx: Transaction,
  checkout: Purchase | null,
  coupon: Coupon,
): Promise<boolean> {
  if (checkout === null) return false;
  if (checkout.couponCode && coupon) await lockCouponsOf(tx, [checkout.id], coupon);
  await applyPurchaseEvent(ctx, tx, checkout, { type: "replaced" }, { transfersStock: true });
  return checkout.stockState === "held";
}

/**
 * Takes the coupon use and the unit of stock of a new purchase. Locks the coupon before the tool, as in every transaction. The
 * tool's row is locked last, because all its buyers wait for it.
 *
 * @throws DomainError tool-out-of-stock, and what `holdRedemption` throws
 */
export async function reserve(
  ctx: Context,
  tx: Transaction,
  input: {
    tool: { id: string; name: string };
    purchaseId: string;
    couponCode: string | null;
    coupon: Coupon;
    /** It has the unit of the checkout that it replaces. */
    hasUnit: boolean;
  },
): Promise<void> {
  const { tool, purchaseId, couponCode, coupon, hasUnit } = input;
  if (couponCode !== null) await holdRedemption(ctx, tx, { coupon, toolId: tool.id, purchaseId });
  if (!hasUnit) await requireStock(ctx, tx, { tool, purchaseId });
}
