import { eq } from "drizzle-orm";
import fc from "fast-check";
import type { AuthorisedContext } from "#core/authorise.ts";
import { isDomainError } from "#core/errors.ts";
import { processRefunds } from "#core/payments/process-refunds.server.ts";
import { readDisputes } from "#core/payments/read-disputes.server.ts";
import { processWebhookEvents, receiveWebhookEvent } from "#core/payments/webhook-events.server.ts";
import { settings } from "#db/tables/operations.ts";
import type { RefundFacts } from "../fake-gateway/control.ts";
import type { Fault, RequestMatch } from "../fake-gateway/faults.ts";
import { shuffle, type WebhookEvent } from "../fake-gateway/webhooks.ts";
import { type Command, InvariantViolation } from "./command.ts";
import { type Model, type PaymentAttempt, pickFromLatest, type StartedCheckout } from "./model.ts";

const smallIndex = fc.nat({ max: 5 });

/** A buyer at the gateway's checkout. "pays again": from a second window, although the order is paid. */
export const pay = fc
  .record({
    back: smallIndex,
    action: fc.oneof(
      { weight: 6, arbitrary: fc.constant("pays" as const) },
      { weight: 3, arbitrary: fc.constantFrom("pays again", "authorises only", "starts a payment") },
      { weight: 3, arbitrary: fc.constantFrom("pays with the fee on top", "pays with an offer") },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          "authorises with the fee on top",
          "authorises with a fee that is reported early",
          "authorises with an offer",
          "starts a payment with the fee on top",
        ),
      },
      { weight: 1, arbitrary: fc.constantFrom("is declined", "pays another amount") },
    ),
  })
  .map(
    ({ back, action }): Command => ({
      description: `the buyer of the order ${back} back ${action}`,
      run: async (model) => {
        const checkout = pickFromLatest(model.checkouts.filter(hasOrder), back);
        return checkout && payFor(model, checkout, action);
      },
    }),
  );

const hasOrder = ({ gatewayOrderId }: StartedCheckout) => gatewayOrderId !== null;

/** @returns the names of payment and checkout; null when there is nothing to pay */
export function payFor(model: Model, checkout: StartedCheckout, action: PaymentAction): string | null {
  if (!checkout.gatewayOrderId) return null;
  const attempt = tryToPay(model, checkout.gatewayOrderId, action);
  const payment = { name: `payment ${model.payments.length + 1}`, checkout, ...attempt };
  model.payments.push(payment);
  return `${payment.name} for ${checkout.name}`;
}

type PaymentAction =
  | "pays"
  | "pays again"
  | "authorises only"
  | "starts a payment"
  | "is declined"
  | "pays another amount"
  | "pays with the fee on top"
  | "pays with an offer"
  | "authorises with the fee on top"
  | "authorises with a fee that is reported early"
  | "authorises with an offer"
  | "starts a payment with the fee on top";

const FEE_ON_TOP = { buyerFeePaise: 116 };
const OFFER = { offerPaise: 490 };

function tryToPay(
  { shop: { fake } }: Model,
  gatewayOrderId: string,
  action: PaymentAction,
): Pick<PaymentAttempt, "paymentId" | "signedPayment"> {
  const withSignature = (signedPayment: NonNullable<PaymentAttempt["signedPayment"]>) => ({
    paymentId: signedPayment.razorpay_payment_id,
    signedPayment,
  });
  switch (action) {
    case "pays":
      return withSignature(fake.pay(gatewayOrderId));
    case "pays again":
      return withSignature(fake.payAgain(gatewayOrderId));
    case "authorises only":
      return withSignature(fake.authorize(gatewayOrderId));
    case "pays another amount":
      return withSignature(fake.payAgain(gatewayOrderId, { amountPaise: 100 }));
    case "pays with the fee on top":
      return withSignature(fake.payAgain(gatewayOrderId, FEE_ON_TOP));
    case "pays with an offer":
      return withSignature(fake.payAgain(gatewayOrderId, OFFER));
    case "authorises with the fee on top":
      return withSignature(fake.authorize(gatewayOrderId, FEE_ON_TOP));
    case "authorises with a fee that is reported early":
      return withSignature(fake.authorize(gatewayOrderId, { ...FEE_ON_TOP, reportsFeeEarly: true }));
    case "authorises with an offer":
      return withSignature(fake.authorize(gatewayOrderId, OFFER));
    case "starts a payment with the fee on top":
      return { ...fake.startPayment(gatewayOrderId, FEE_ON_TOP), signedPayment: null };
    case "starts a payment":
      return { ...fake.startPayment(gatewayOrderId), signedPayment: null };
    case "is declined":
      return { ...fake.fail(gatewayOrderId), signedPayment: null };
  }
}

/** The bank or the gateway decides about a payment that was started before. */
export const progressPayment = fc
  .record({ back: smallIndex, what: fc.constantFrom("authorises", "fails", "captures", "returns") })
  .map(
    ({ back, what }): Command => ({
      description: `the bank ${what} the payment ${back} back`,
      run: async (model) => {
        const payment = pickFromLatest(model.payments, back);
        if (!payment) return null;
        const { fake } = model.shop;
        if (what === "authorises") payment.signedPayment = fake.authorizeNow(payment.paymentId);
        if (what === "fails") fake.failNow(payment.paymentId);
        if (what === "captures") fake.captureNow(payment.paymentId);
        if (what === "returns") fake.returnUncaptured(payment.paymentId);
        return payment.name;
      },
    }),
  );

const PARTIAL_REFUND_PAISE = 1_000;

export const refundOnGatewayPages = fc
  .record({ back: smallIndex, staysPending: fc.boolean(), isPartial: fc.boolean() })
  .map(
    ({ back, staysPending, isPartial }): Command => ({
      description: `the owner refunds ${isPartial ? "a part of " : ""}the payment ${back} back on the gateway's pages${staysPending ? ", and the refund stays pending" : ""}`,
      run: async (model) => {
        const payment = pickFromLatest(model.payments, back);
        if (!payment) return null;
        const { fake } = model.shop;
        fake.holdRefunds(staysPending);
        try {
          fake.refundAtGateway(payment.paymentId, isPartial ? PARTIAL_REFUND_PAISE : undefined);
        } finally {
          fake.holdRefunds(false);
        }
        return payment.name;
      },
    }),
  );

/** The refund job. The bank finishes the refunds at once, leaves them pending, or fails them. */
export const processRefundsAtBank = fc.constantFrom("finishes them", "leaves them pending", "fails them").map(
  (action): Command => ({
    description: `the job process-refunds runs, and the bank ${action}`,
    run: async (model) => {
      const { fake } = model.shop;
      fake.holdRefunds(action !== "finishes them");
      const done = await processRefunds(model.system);
      fake.holdRefunds(false);
      if (action === "fails them")
        for (const { refundId } of pendingRefunds(model)) fake.failRefund(refundId);
      return JSON.stringify(done);
    },
  }),
);

function pendingRefunds({ shop, checkouts }: Model): RefundFacts[] {
  return checkouts
    .flatMap(({ gatewayOrderId }) => (gatewayOrderId ? shop.fake.paymentsOf(gatewayOrderId) : []))
    .flatMap(({ refunds }) => refunds)
    .filter(({ status }) => status === "pending");
}

/** The job, as if its day had passed. */
export async function readDisputesAgain(ctx: AuthorisedContext): Promise<object> {
  await ctx.db.delete(settings).where(eq(settings.key, "disputes-read"));
  return readDisputes(ctx);
}

const DISPUTED_PAISE = 1_500;

/** The bank opens a dispute of a payment, or decides about one; the shop may hear of it by its daily job. */
export const dispute = fc
  .record({
    back: smallIndex,
    isPartial: fc.boolean(),
    phase: fc.constantFrom("chargeback", "chargeback", "pre_arbitration", "fraud"),
  })
  .map(
    ({ back, isPartial, phase }): Command => ({
      description: `the bank disputes ${isPartial ? "a part of " : ""}the payment ${back} back, phase ${phase}`,
      run: async (model) => {
        const payment = pickFromLatest(model.payments, back);
        if (!payment) return null;
        const amount = isPartial ? { amountPaise: DISPUTED_PAISE } : {};
        model.disputeIds.push(model.shop.fake.openDispute(payment.paymentId, { ...amount, phase }).disputeId);
        return payment.name;
      },
    }),
  );

/** The settlement of the second payment writes a refund, which waits until the bank has decided. */
export const disputeDuplicate = smallIndex.map(
  (back): Command => ({
    description: `the buyer of the order ${back} back pays again, and the shop hears of a dispute of it before`,
    run: async (model) => {
      const checkout = pickFromLatest(model.checkouts.filter(hasOrder), back);
      const paid = checkout && payFor(model, checkout, "pays again");
      const payment = model.payments.at(-1);
      if (!paid || !payment) return null;
      model.disputeIds.push(model.shop.fake.openDispute(payment.paymentId).disputeId);
      await readDisputesAgain(model.system);
      return paid;
    },
  }),
);

export const moveDispute = fc
  .record({
    back: smallIndex,
    status: fc.constantFrom("open", "under_review", "won", "lost", "lost", "lost", "closed"),
  })
  .map(
    ({ back, status }): Command => ({
      description: `the dispute ${back} back becomes ${status}`,
      run: async (model) => {
        const disputeId = pickFromLatest(model.disputeIds, back);
        if (!disputeId) return null;
        model.shop.fake.moveDispute(disputeId, status);
        return "";
      },
    }),
  );

export const finishPendingRefund = fc.record({ back: smallIndex, succeeds: fc.boolean() }).map(
  ({ back, succeeds }): Command => ({
    description: `a pending refund ${succeeds ? "is processed" : "fails"}`,
    run: async (model) => {
      const { fake } = model.shop;
      const refund = pickFromLatest(pendingRefunds(model), back);
      if (!refund) return null;
      if (succeeds) fake.finishRefund(refund.refundId);
      else fake.failRefund(refund.refundId);
      return "";
    },
  }),
);

/** Delivers new and earlier events in random order. They are processed now, or left to the job. */
export const deliverWebhooks = fc
  .record({
    howMany: fc.integer({ min: 1, max: 8 }),
    seed: fc.nat({ max: 1_000 }),
    twice: fc.boolean(),
    withEventId: fc.boolean(),
    processes: fc.boolean(),
  })
  .map(
    ({ howMany, seed, twice, withEventId, processes }): Command => ({
      description: `${howMany} webhooks arrive${twice ? " twice" : ""}, shuffled by ${seed}${withEventId ? "" : ", without an id"}${processes ? ", and are processed" : ""}`,
      run: async (model) => {
        const chosen = shuffle(sentEvents(model), seed).slice(0, howMany);
        if (chosen.length === 0) return null;
        const copies = twice ? [...chosen, ...chosen.toReversed()] : chosen;
        await Promise.all(copies.map((event) => receiveWebhook(model, event, { withEventId })));
        if (processes) await processWebhookEvents(model.system);
        return chosen.map(({ type }) => type).join(", ");
      },
    }),
  );

export const loseWebhooks = fc
  .record({ howMany: fc.integer({ min: 1, max: 8 }), seed: fc.nat({ max: 1_000 }) })
  .map(
    ({ howMany, seed }): Command => ({
      description: `${howMany} webhooks are lost, shuffled by ${seed}`,
      run: async (model) => {
        const chosen = shuffle(sentEvents(model), seed).slice(0, howMany);
        for (const event of chosen) model.lostEventIds.add(event.id);
        return chosen.map(({ type }) => type).join(", ");
      },
    }),
  );

export const forgeWebhook = fc.nat({ max: 20 }).map(
  (back): Command => ({
    description: `the webhook ${back} back arrives with another amount in it`,
    run: async (model) => {
      const event = pickFromLatest(model.shop.fake.webhooks.events(), back);
      if (!event) return null;
      const rawBody = event.rawBody.replace(/"amount":\d+/, '"amount":1');
      const eventId = `forged-${event.id}`;
      try {
        await receiveWebhookEvent(model.system, { rawBody, signature: event.signature, eventId });
      } catch (error) {
        if (isDomainError(error, "payment-not-verified")) return "refused";
        throw error;
      }
      throw new InvariantViolation("a webhook that was tampered with was accepted");
    },
  }),
);

const sentEvents = ({ shop, lostEventIds }: Model) =>
  shop.fake.webhooks.events().filter(({ id }) => !lostEventIds.has(id));

export async function receiveWebhook(
  model: Model,
  event: WebhookEvent,
  { withEventId = true } = {},
): Promise<void> {
  const { rawBody, signature, id } = event;
  await receiveWebhookEvent(model.system, { rawBody, signature, eventId: withEventId ? id : null });
  model.acceptedEventIds.add(id);
}

const FAULTS: readonly Fault[] = [
  { what: "drop-before" },
  { what: "drop-after" },
  { what: "status", status: 503 },
  { what: "status", status: 502, after: true },
  { what: "status", status: 400 },
  { what: "status", status: 429 },
  { what: "garbage" },
  { what: "delay", ms: 12 },
  { what: "delay", ms: 12, after: true },
];
const MATCHES: readonly RequestMatch[] = [
  "any",
  "create-order",
  "list-orders",
  "order-payments",
  "order",
  "capture",
  "refund",
  "refund-status",
  "list-disputes",
  "dispute",
];

/** The next requests of a kind fail. With `after`, the gateway does the work first and only the response fails. */
export const injectFault = fc
  .record({
    what: fc.constantFrom(...FAULTS),
    match: fc.constantFrom(...MATCHES),
    times: fc.integer({ min: 1, max: 3 }),
  })
  .map(
    ({ what, match, times }): Command => ({
      description: `the next ${times} requests '${match}' meet the fault ${JSON.stringify(what)}`,
      run: async (model) => {
        model.shop.fake.faults.add({ ...what, match, times });
        return "";
      },
    }),
  );
