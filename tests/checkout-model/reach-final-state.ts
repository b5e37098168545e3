import { and, inArray, isNull } from "drizzle-orm";
import { expireHolds } from "#core/checkout/end-checkout.server.ts";
import { processRefunds } from "#core/payments/process-refunds.server.ts";
import { reconcileOrders } from "#core/payments/reconcile-orders.server.ts";
import { processWebhookEvents } from "#core/payments/webhook-events.server.ts";
import { DAY, HOUR, MINUTE } from "#core/time.ts";
import { paymentOrders } from "#db/tables/payments.ts";
import { InvariantViolation } from "./command.ts";
import { readDisputesAgain, receiveWebhook } from "./gateway-commands.ts";
import type { Model } from "./model.ts";

/** The longest delay between two attempts of a refund: after it every refund is due. */
const LONGEST_RETRY_DELAY_MS = 6 * HOUR;
const MAX_ROUNDS = 20;

/**
 * Brings shop and gateway to the state that they reach without further commands: the gateway answers again, pending
 * refunds finish, holds expire, jobs run, and each order is polled a last time. Undelivered webhooks stay lost, except webhooks
 * of orders that are too old to be polled: the gateway repeats them until they are accepted.
 */
export async function reachFinalState(model: Model): Promise<void> {
  const { shop } = model;
  const system = shop.contextFor({ kind: "system" }, "retry");
  shop.fake.faults.clear();
  shop.fake.holdRefunds(false);
  for (const { refundId, status } of listRefunds(model)) {
    if (status === "pending") shop.fake.finishRefund(refundId);
  }
  // A start of the shop does the same.
  await reconcileOrders(system, { all: true });
  shop.clock.advance(16 * MINUTE);
  await expireHolds(system);
  await finishRefunds(model);
  refundFailedRefundsAtGateway(model);
  await deliverForOldOrders(model);
  shop.clock.advance(5 * DAY);
  await processWebhookEvents(system);
  await reconcileOrders(system, { all: false });
  await decideDisputes(model);
  await finishRefunds(model);
  // A refund of a disputed payment made its order due.
  await reconcileOrders(system, { all: false });
  await finishRefunds(model);
}

/** The bank decides about every open dispute, every second one against the shop, and no webhook tells it. */
async function decideDisputes(model: Model): Promise<void> {
  const { fake } = model.shop;
  const open = listPayments(model)
    .flatMap(({ disputes }) => disputes)
    .filter(({ status }) => status === "open" || status === "under_review");
  for (const [at, { id }] of open.entries()) fake.moveDispute(id, at % 2 === 0 ? "lost" : "won");
  await readDisputesAgain(model.shop.contextFor({ kind: "system" }, "retry"));
}

const listPayments = ({ shop, checkouts }: Model) =>
  checkouts.flatMap(({ gatewayOrderId }) => (gatewayOrderId ? shop.fake.paymentsOf(gatewayOrderId) : []));

const listRefunds = (model: Model) => listPayments(model).flatMap(({ refunds }) => refunds);

async function finishRefunds(model: Model): Promise<void> {
  const system = model.shop.contextFor({ kind: "system" }, "retry");
  for (let round = 0; round < MAX_ROUNDS; round++) {
    model.shop.clock.advance(LONGEST_RETRY_DELAY_MS);
    const { unfinished } = await processRefunds(system);
    if (unfinished === 0) return;
  }
  throw new InvariantViolation("a refund is not finished after days of attempts");
}

/** The owner refunds by hand what the bank could not refund. */
function refundFailedRefundsAtGateway(model: Model): void {
  const { fake } = model.shop;
  for (const { paymentId, status, refunds } of listPayments(model)) {
    if (status === "captured" && refunds.some((refund) => refund.status === "failed")) {
      fake.refundAtGateway(paymentId);
    }
  }
}

async function deliverForOldOrders(model: Model): Promise<void> {
  const { shop, checkouts, acceptedEventIds } = model;
  const ids = checkouts.map(({ purchaseId }) => purchaseId);
  const old = await shop.db
    .select({ gatewayOrderId: paymentOrders.gatewayOrderId })
    .from(paymentOrders)
    .where(and(inArray(paymentOrders.purchaseId, ids), isNull(paymentOrders.nextPollAt)));
  const gatewayOrderIds = new Set(old.map(({ gatewayOrderId }) => gatewayOrderId));
  for (const event of shop.fake.webhooks.events()) {
    if (gatewayOrderIds.has(event.orderId) && !acceptedEventIds.has(event.id))
      await receiveWebhook(model, event);
  }
}
