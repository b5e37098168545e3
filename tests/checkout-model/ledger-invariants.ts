import { eq, inArray, isNull } from "drizzle-orm";
import { lostPaiseOf, OPEN_DISPUTE_STATES } from "#core/payments/payment-states.ts";
import {
  paymentAttempts,
  paymentDisputes,
  paymentOrders,
  refunds,
  webhookEvents,
} from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import type { PaymentFacts } from "../fake-gateway/control.ts";
import { countOutcome, InvariantViolation, type OutcomeCounts } from "./command.ts";
import type { Model, SaleByHand } from "./model.ts";
import { isReasonTrue, type PurchaseFacts, paysPrice } from "./refund-reasons.ts";

/**
 * Compares the shop's ledger with the gateway's records in the final state. Every captured payment is known to the shop
 * and has one outcome, the gateway's refunds and lost disputes match that outcome, and the shop's revenue equals captured minus
 * refunded and lost. A sale by hand has one payment of the shop's own, which is given back as often as an admin has entered.
 *
 * @param counts counts the outcomes of the payments
 * @throws InvariantViolation
 */
export async function checkLedgerInvariants(model: Model, counts: OutcomeCounts): Promise<void> {
  const { fake } = model.shop;
  const purchases = await selectPurchases(model);
  const shopPayments = new Map((await selectPayments(model)).map((row) => [row.paymentId, row]));
  const problems: string[] = [];
  const revenue = { shop: 0, gateway: 0 };
  for (const [purchaseId, sale] of model.salesByHand) {
    const payment = [...shopPayments.values()].find((one) => one.purchaseId === purchaseId);
    if (payment) shopPayments.delete(payment.paymentId);
    problems.push(...compareSale(sale, payment).map((problem) => `${sale.name} ${problem}`));
    revenue.gateway += sale.amountPaise - sale.givenBackPaise;
    revenue.shop += payment ? shopRevenueOf(payment) : 0;
    countOutcome(counts, `by hand: ${payment?.outcome}${sale.givenBackPaise > 0 ? ", given back" : ""}`);
  }
  for (const purchase of purchases) {
    if (purchase.status === "pending") problems.push("a purchase is still pending");
    if (purchase.orderState === "creating" || purchase.orderState === "open") {
      problems.push("an order is still open");
    }
    const endedAt = model.buyers.find(({ userId }) => userId === purchase.userId)?.accountEndedAt;
    if (endedAt && purchase.paidAt && purchase.paidAt > endedAt) {
      problems.push("a pass was made after its buyer's account had ended");
    }
    if (purchase.isRenewal && purchase.status === "completed") countOutcome(counts, "renewals");
    if (purchase.amountPaise === 0 && purchase.status === "completed") countOutcome(counts, "granted");
    const payments = fake.ordersOf(purchase.id).flatMap((orderId) => fake.paymentsOf(orderId));
    for (const payment of payments) {
      const shop = shopPayments.get(payment.paymentId);
      shopPayments.delete(payment.paymentId);
      const name = findPaymentName(model, payment);
      problems.push(...compare(payment, shop).map((problem) => `${name}: ${problem}`));
      const isKept = shop?.outcome === "pass" || shop?.outcome === "cancellation";
      if (isKept && !paysPrice({ payment, purchase })) problems.push(`${name}: another amount is kept`);
      if (isKept && payment.buyerFeePaise > 0) countOutcome(counts, "kept with a fee on top");
      if (isKept && payment.offerPaise > 0) countOutcome(counts, "kept with an offer");
      revenue.gateway += gatewayRevenueOf(payment);
      revenue.shop += shop ? shopRevenueOf(shop) : 0;
      if (payment.captured) countOutcome(counts, shop?.reason ?? shop?.outcome ?? "unknown");
      if (shop?.outcome === "chargeback")
        countOutcome(counts, shop.refundStatus === null ? "chargeback" : "dropped refund");
      else if (shop && shop.lostPaise > 0)
        countOutcome(counts, shop.lostPaise === shop.amountPaise ? "refunded and lost" : "lost in part");
      if (payment.capturedBy === "api")
        countOutcome(counts, `captured by the shop: ${shop?.outcome ?? "unknown"}`);
      const isLeftUncaptured = !payment.captured && shop?.uncapturedReason;
      if (isLeftUncaptured) countOutcome(counts, "left uncaptured");
      const reason = isLeftUncaptured ? shop.uncapturedReason : shop?.reason;
      if (!reason) continue;
      const others = purchases.filter((other) => isOtherPurchase(other, purchase));
      const hasAccountEnded = model.buyers.some(
        ({ userId, accountEndedAt }) => userId === purchase.userId && accountEndedAt !== null,
      );
      if (!isReasonTrue(reason, { payment, payments, purchase, others, hasAccountEnded })) {
        problems.push(
          `${name}: ${isLeftUncaptured ? "was left uncaptured" : "was refunded"} as ${reason}, which is not true`,
        );
      }
    }
  }
  if (shopPayments.size > 0) problems.push(`${shopPayments.size} payments are not in the gateway's records`);
  if (revenue.shop !== revenue.gateway) {
    problems.push(`the shop's revenue is ${revenue.shop}, the gateway's ${revenue.gateway}`);
  }
  const unprocessed = await model.shop.db.$count(webhookEvents, isNull(webhookEvents.processedAt));
  if (unprocessed > 0) problems.push(`${unprocessed} webhook events are not processed`);
  if (problems.length > 0) throw new InvariantViolation(problems.join("; "));
}

type ShopPayment = Awaited<ReturnType<typeof selectPayments>>[number];

function compare(gateway: PaymentFacts, shop: ShopPayment | undefined): string[] {
  if (!gateway.captured)
    return shop?.status === "captured" ? ["captured in the shop, not at the gateway"] : [];
  if (!shop) return ["captured, and unknown to the shop"];
  if (shop.status !== "captured") return [`captured, and ${shop.status} in the shop`];
  const problems: string[] = [];
  if (shop.amountPaise !== gateway.amountPaise) problems.push("its amount differs");
  if (shop.outcome !== "refund" && shop.buyerFeePaise !== gateway.buyerFeePaise)
    problems.push(`its buyer's fee is ${shop.buyerFeePaise}, not ${gateway.buyerFeePaise}`);
  // What disputes have taken is not refunded, unless it was refunded before.
  const isRest = shop.outcome === "refund" && gateway.refundedPaise < gateway.amountPaise;
  const rest = isRest ? gateway.amountPaise - shop.lostPaise : gateway.amountPaise;
  const wanted = shop.outcome === "refund" ? rest : shop.refundedPaise;
  if (gateway.refundedPaise !== wanted) {
    problems.push(
      `its outcome is ${shop.outcome}, and ${gateway.refundedPaise} of ${gateway.amountPaise} paise are refunded`,
    );
  }
  const lostPaise = lostPaiseOf(gateway.amountPaise, gateway.disputes);
  if (shop.lostPaise !== lostPaise)
    problems.push(`the shop has lost ${shop.lostPaise}, the gateway ${lostPaise}`);
  problems.push(...findRefundsDuringDispute(gateway, shop));
  if (shop.outcome !== "refund") return problems;
  const byShop = gateway.refunds.filter(({ status, by }) => status !== "failed" && by === "api");
  // The shop refunds the remainder of the owner's refunds, and once more for each of these that fails afterwards.
  const failedByOwner = gateway.refunds.filter(({ status, by }) => status === "failed" && by !== "api");
  if (byShop.length > 1 + failedByOwner.length) {
    problems.push(`the shop refunded it ${byShop.length} times`);
  }
  if (shop.refundStatus !== "processed") problems.push(`its refund is ${shop.refundStatus}`);
  return problems;
}

function compareSale({ amountPaise, givenBackPaise }: SaleByHand, shop: ShopPayment | undefined): string[] {
  if (shop?.gateway !== "manual") return ["has no payment"];
  const problems: string[] = [];
  if (shop.status !== "captured" || shop.amountPaise !== amountPaise)
    problems.push(`is ${shop.status} with ${shop.amountPaise} of ${amountPaise} paise`);
  const refundStatus = givenBackPaise > 0 ? "processed" : "requested";
  if (shop.refundStatus !== (shop.outcome === "refund" ? refundStatus : null))
    problems.push(`is ${shop.outcome}, and its refund is ${shop.refundStatus}`);
  if (givenBackPaise !== 0 && givenBackPaise !== amountPaise)
    problems.push(`is given back with ${givenBackPaise} of ${amountPaise} paise`);
  return problems;
}

/** A payment that was refunded and lost counts as nothing, and not as less. */
export const gatewayRevenueOf = ({
  captured,
  amountPaise,
  buyerFeePaise,
  refundedPaise,
  disputes,
}: PaymentFacts) =>
  captured
    ? Math.max(amountPaise - buyerFeePaise - refundedPaise - lostPaiseOf(amountPaise, disputes), 0)
    : 0;

function shopRevenueOf({ status, refundStatus, ...payment }: ShopPayment): number {
  const { amountPaise, buyerFeePaise, refundedPaise, lostPaise } = payment;
  const isKept = status === "captured" && refundStatus !== "processed";
  return isKept ? Math.max(amountPaise - buyerFeePaise - refundedPaise - lostPaise, 0) : 0;
}

/** Refunds that the shop has made while it knew of an open dispute of the payment. */
function findRefundsDuringDispute({ refunds }: PaymentFacts, { disputes }: ShopPayment): string[] {
  return disputes
    .filter(({ phase }) => phase !== "fraud")
    .filter(({ createdAt, updatedAt, status }) => {
      const until = OPEN_DISPUTE_STATES.includes(status) ? Number.POSITIVE_INFINITY : updatedAt.getTime();
      return refunds.some(
        (refund) => refund.by === "api" && refund.createdAt > createdAt && refund.createdAt.getTime() < until,
      );
    })
    .map(() => "the shop refunded it while a dispute was open");
}

function isOtherPurchase(other: PurchaseFacts, purchase: PurchaseFacts): boolean {
  return other.id !== purchase.id && other.userId === purchase.userId && other.toolId === purchase.toolId;
}

function findPaymentName(model: Model, { paymentId }: PaymentFacts): string {
  return model.payments.find((payment) => payment.paymentId === paymentId)?.name ?? "a payment of no command";
}

const isOfBuyers = ({ buyers }: Model) =>
  inArray(
    userPurchases.userId,
    buyers.map(({ userId }) => userId),
  );

async function selectPurchases(
  model: Model,
): Promise<(PurchaseFacts & { paidAt: Date | null; isRenewal: boolean; orderState: string | null })[]> {
  const rows = await model.shop.db
    .select({
      id: userPurchases.id,
      userId: userPurchases.userId,
      toolId: userPurchases.toolId,
      status: userPurchases.status,
      amountPaise: userPurchases.amountPaise,
      isRenewal: userPurchases.isRenewal,
      couponCode: userPurchases.couponCode,
      paidAt: userPurchases.capturedAt,
      endedAt: userPurchases.endedAt,
      orderState: paymentOrders.state,
    })
    .from(userPurchases)
    .leftJoin(paymentOrders, eq(paymentOrders.purchaseId, userPurchases.id))
    .where(isOfBuyers(model));
  return rows.map(({ endedAt, ...row }) => ({ ...row, ended: endedAt !== null }));
}

async function selectPayments(model: Model) {
  const payments = await model.shop.db
    .select({
      paymentId: paymentAttempts.gatewayPaymentId,
      purchaseId: paymentOrders.purchaseId,
      gateway: paymentOrders.gateway,
      status: paymentAttempts.status,
      outcome: paymentAttempts.outcome,
      amountPaise: paymentAttempts.amountPaise,
      buyerFeePaise: paymentAttempts.buyerFeePaise,
      refundedPaise: paymentAttempts.refundedPaise,
      lostPaise: paymentAttempts.lostPaise,
      uncapturedReason: paymentAttempts.uncapturedReason,
      refundStatus: refunds.status,
      reason: refunds.reason,
    })
    .from(paymentAttempts)
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .innerJoin(userPurchases, eq(userPurchases.id, paymentOrders.purchaseId))
    .leftJoin(refunds, eq(refunds.attemptId, paymentAttempts.id))
    .where(isOfBuyers(model));
  const disputes = Map.groupBy(
    await model.shop.db.select().from(paymentDisputes),
    ({ gatewayPaymentId }) => gatewayPaymentId,
  );
  return payments.map((payment) => ({ ...payment, disputes: disputes.get(payment.paymentId) ?? [] }));
}
