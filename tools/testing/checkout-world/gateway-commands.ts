import fc from "fast-check";
import { isDomainError } from "#core/errors.ts";
import { processRefunds } from "#core/payments/process-refunds.server.ts";
import { processWebhookEvents } from "#core/payments/process-webhook-events.server.ts";
import { receiveWebhookEvent } from "#core/payments/receive-webhook-event.server.ts";
import type { RefundFacts } from "../fake-gateway/control.ts";
import type { WebhookEvent } from "../fake-gateway/events.ts";
import type { Fault, Match } from "../fake-gateway/faults.ts";
import { shuffle } from "../fake-gateway/shuffle.ts";
import { type Command, Violation } from "./command.ts";
import { fromLatest, type ShownCheckout, type TriedPayment, type World } from "./world.ts";

const many = fc.nat({ max: 5 });

/** A buyer at the gateway's checkout. `again`: paid although it is paid already, from a second window. */
export const pay = fc
  .record({
    back: many,
    how: fc.oneof(
      { weight: 6, arbitrary: fc.constant("pays" as const) },
      { weight: 3, arbitrary: fc.constantFrom("pays again", "authorises only", "begins to pay") },
      { weight: 1, arbitrary: fc.constantFrom("is declined", "pays another amount") },
    ),
  })
  .map(
    ({ back, how }): Command => ({
      words: `the buyer of the order ${back} back ${how}`,
      perform: async (world) => {
        const shown = fromLatest(world.checkouts.filter(hasOrder), back);
        return shown && payFor(world, shown, how);
      },
    }),
  );

const hasOrder = ({ orderId }: ShownCheckout) => orderId !== null;

/** @returns what came of it; null when there is nothing to pay */
export function payFor(world: World, checkout: ShownCheckout, how: Way): string | null {
  if (!checkout.orderId) return null;
  const tried = tryToPay(world, checkout.orderId, how);
  const payment = { name: `payment ${world.payments.length + 1}`, checkout, ...tried };
  world.payments.push(payment);
  return `${payment.name} for ${checkout.name}`;
}

type Way =
  | "pays"
  | "pays again"
  | "authorises only"
  | "begins to pay"
  | "is declined"
  | "pays another amount";

function tryToPay(
  { shop: { fake } }: World,
  orderId: string,
  how: Way,
): Pick<TriedPayment, "paymentId" | "proof"> {
  const proven = (proof: NonNullable<TriedPayment["proof"]>) => ({
    paymentId: proof.razorpay_payment_id,
    proof,
  });
  switch (how) {
    case "pays":
      return proven(fake.pay(orderId));
    case "pays again":
      return proven(fake.payAgain(orderId));
    case "authorises only":
      return proven(fake.authorize(orderId));
    case "pays another amount":
      return proven(fake.payAgain(orderId, { amountPaise: 100 }));
    case "begins to pay":
      return { ...fake.payLate(orderId), proof: null };
    case "is declined":
      return { ...fake.fail(orderId), proof: null };
  }
}

/** The bank, or the gateway, goes on with a payment. */
export const decide = fc
  .record({ back: many, what: fc.constantFrom("authorises", "fails", "captures", "lets go of") })
  .map(
    ({ back, what }): Command => ({
      words: `the bank ${what} the payment ${back} back`,
      perform: async (world) => {
        const payment = fromLatest(world.payments, back);
        if (!payment) return null;
        const { fake } = world.shop;
        if (what === "authorises") payment.proof = fake.authorizeNow(payment.paymentId);
        if (what === "fails") fake.failNow(payment.paymentId);
        if (what === "captures") fake.captureNow(payment.paymentId);
        if (what === "lets go of") fake.letGo(payment.paymentId);
        return payment.name;
      },
    }),
  );

const PART_PAISE = 1_000;

export const refundByOwner = fc.record({ back: many, waits: fc.boolean(), part: fc.boolean() }).map(
  ({ back, waits, part }): Command => ({
    words: `the owner pays ${part ? "a part of " : ""}the payment ${back} back back at the gateway${waits ? ", and the bank takes its time" : ""}`,
    perform: async (world) => {
      const payment = fromLatest(world.payments, back);
      if (!payment) return null;
      const { fake } = world.shop;
      fake.holdRefunds(waits);
      try {
        fake.refundAtGateway(payment.paymentId, part ? PART_PAISE : undefined);
      } finally {
        fake.holdRefunds(false);
      }
      return payment.name;
    },
  }),
);

/** The job that pays back, at a bank that is done at once, takes its time, or cannot do it after all. */
export const refund = fc.constantFrom("at once", "in its own time", "and fails").map(
  (how): Command => ({
    words: `the job process-refunds runs, and the bank pays back ${how}`,
    perform: async (world) => {
      const { fake } = world.shop;
      fake.holdRefunds(how !== "at once");
      const done = await processRefunds(world.system);
      fake.holdRefunds(false);
      if (how === "and fails") for (const { refundId } of waitingRefunds(world)) fake.failRefund(refundId);
      return JSON.stringify(done);
    },
  }),
);

function waitingRefunds({ shop, checkouts }: World): RefundFacts[] {
  return checkouts
    .flatMap(({ orderId }) => (orderId ? shop.fake.paymentsOf(orderId) : []))
    .flatMap(({ refunds }) => refunds)
    .filter(({ status }) => status === "pending");
}

export const endRefund = fc.record({ back: many, well: fc.boolean() }).map(
  ({ back, well }): Command => ({
    words: `a refund that waits at the bank ${well ? "is done" : "fails"}`,
    perform: async (world) => {
      const { fake } = world.shop;
      const refund = fromLatest(waitingRefunds(world), back);
      if (!refund) return null;
      if (well) fake.finishRefund(refund.refundId);
      else fake.failRefund(refund.refundId);
      return "";
    },
  }),
);

/** Those not sent yet and those sent before, mixed up; the work they ask for is done now or left to the job. */
export const deliver = fc
  .record({
    howMany: fc.integer({ min: 1, max: 8 }),
    seed: fc.nat({ max: 1_000 }),
    twice: fc.boolean(),
    named: fc.boolean(),
    handles: fc.boolean(),
  })
  .map(
    ({ howMany, seed, twice, named, handles }): Command => ({
      words: `${howMany} webhooks arrive${twice ? " twice" : ""}, shuffled by ${seed}${named ? "" : ", without an id"}${handles ? ", and are worked off" : ""}`,
      perform: async (world) => {
        const chosen = shuffle(sent(world), seed).slice(0, howMany);
        if (chosen.length === 0) return null;
        const copies = twice ? [...chosen, ...chosen.toReversed()] : chosen;
        await Promise.all(copies.map((event) => receive(world, event, { named })));
        if (handles) await processWebhookEvents(world.system);
        return chosen.map(({ type }) => type).join(", ");
      },
    }),
  );

export const lose = fc.record({ howMany: fc.integer({ min: 1, max: 8 }), seed: fc.nat({ max: 1_000 }) }).map(
  ({ howMany, seed }): Command => ({
    words: `${howMany} webhooks are lost, shuffled by ${seed}`,
    perform: async (world) => {
      const chosen = shuffle(sent(world), seed).slice(0, howMany);
      for (const event of chosen) world.lostEvents.add(event.id);
      return chosen.map(({ type }) => type).join(", ");
    },
  }),
);

export const forgeWebhook = fc.nat({ max: 20 }).map(
  (back): Command => ({
    words: `the webhook ${back} back arrives with another amount in it`,
    perform: async (world) => {
      const event = fromLatest(world.shop.fake.webhooks.events(), back);
      if (!event) return null;
      const rawBody = event.rawBody.replace(/"amount":\d+/, '"amount":1');
      const eventId = `forged-${event.id}`;
      try {
        await receiveWebhookEvent(world.system, { rawBody, signature: event.signature, eventId });
      } catch (error) {
        if (isDomainError(error, "payment-not-verified")) return "refused";
        throw error;
      }
      throw new Violation("a webhook that was tampered with was accepted");
    },
  }),
);

const sent = ({ shop, lostEvents }: World) =>
  shop.fake.webhooks.events().filter(({ id }) => !lostEvents.has(id));

export async function receive(world: World, event: WebhookEvent, { named = true } = {}): Promise<void> {
  const { rawBody, signature, id } = event;
  await receiveWebhookEvent(world.system, { rawBody, signature, eventId: named ? id : null });
  world.takenEvents.add(id);
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
const MATCHES: readonly Match[] = [
  "any",
  "create-order",
  "list-orders",
  "order-payments",
  "capture",
  "refund",
  "refund-status",
];

/** The next requests of a kind go wrong; with `after` in it the work is done and only the answer suffers. */
export const fault = fc
  .record({
    what: fc.constantFrom(...FAULTS),
    match: fc.constantFrom(...MATCHES),
    times: fc.integer({ min: 1, max: 3 }),
  })
  .map(
    ({ what, match, times }): Command => ({
      words: `the next ${times} requests '${match}' suffer ${JSON.stringify(what)}`,
      perform: async (world) => {
        world.shop.fake.faults.add({ ...what, match, times });
        return "";
      },
    }),
  );
