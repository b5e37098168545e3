import { isDelivered } from "../../tools/testing/fake-gateway/events.ts";
import type { Match } from "../../tools/testing/fake-gateway/faults.ts";
import type { RemoteFakeGateway } from "../../tools/testing/fake-gateway/remote.ts";
import type { Proof } from "../shop-buyer.ts";
import type { Checkout, Customer } from "./customer.ts";
import { everythingOff, tenthOff } from "./market.ts";
import type { StatementStopName } from "./statement-stops.ts";
import type { WebhookRoad } from "./webhook-road.ts";

/** The one checkout that a kill is aimed at, and where it happens. */
export interface Aim {
  customer: Customer;
  gateway: RemoteFakeGateway;
  road: WebhookRoad;
}

interface WireStop {
  at: "wire";
  request: Match;
  until: "arrived" | "worked";
}

/** Of the gateway, at which the shop's requests wait. */
export const GATE = "kill";

/** Where the shop is stopped for the kill. */
export type Stop =
  | { at: "statement"; name: StatementStopName }
  /** A request of the shop to the gateway: arrived and not worked on, or worked on and not answered. */
  | WireStop
  /** The moment at which `go` is done. */
  | { at: "moment" };

/** A checkout that has come as far as it should before anything is stopped. */
export interface Ready {
  stop: Stop;
  /** Leads it to the point; what becomes of it after the kill is nobody's concern. */
  go(): Promise<unknown>;
  /** Happens while the shop is down. */
  meanwhile?(): Promise<unknown>;
}

export interface KillPoint {
  name: string;
  /** Nobody else buys: whatever is left undone is not stirred up by the next buyer. */
  quiet?: true;
  ready(aim: Aim): Promise<Ready>;
}

const point = (name: string, ready: KillPoint["ready"]): KillPoint => ({ name, ready });
const statement = (name: StatementStopName): Stop => ({ at: "statement", name });
const wire = (request: Match, until: "arrived" | "worked"): WireStop => ({ at: "wire", request, until });
const askedAbout = (orderId: string) => wire(`GET /v1/orders/${orderId}/payments`, "arrived");

/** A payment of which the shop has got, and answered, every webhook; it is just asking about them. */
const allWebhooksAnswered: KillPoint = {
  name: "webhooks: all answered, asking, quiet shop",
  quiet: true,
  async ready(aim) {
    const checkout = await startStraight(aim);
    const hold = { match: askedAbout(checkout.orderId).request, what: "gate", gate: GATE } as const;
    await aim.gateway.faults.add(hold);
    await aim.customer.pay(checkout);
    while (await hasUndelivered(aim.gateway, checkout))
      await new Promise((resolve) => setTimeout(resolve, 50));
    return { stop: { at: "moment" }, go: async () => undefined };
  },
};

async function hasUndelivered(gateway: RemoteFakeGateway, { orderId }: Checkout): Promise<boolean> {
  const events = (await gateway.webhooks.events()).filter((event) => event.orderId === orderId);
  return events.some((event) => !isDelivered(event));
}

/** A checkout about which the gateway's webhooks arrive without fail. */
async function startStraight({ customer, road }: Aim, coupon?: (slug: string) => string): Promise<Checkout> {
  const slug = customer.nextTool();
  const checkout = await customer.start(slug, coupon?.(slug) ?? null);
  road.treat(checkout.orderId, "straight");
  return checkout;
}

/** A paid checkout of which the shop does not know, and hears nothing before it is killed. */
async function payUnheard(aim: Aim): Promise<{ paid: Proof; meanwhile: () => Promise<void> }> {
  const checkout = await startStraight(aim);
  aim.road.treat(checkout.orderId, "held");
  const paid = await aim.customer.pay(checkout);
  return { paid, meanwhile: async () => aim.road.treat(checkout.orderId, "straight") };
}

const starting = (name: string, stop: Stop, coupon?: (slug: string) => string): KillPoint =>
  point(name, async ({ customer }) => {
    const slug = customer.nextTool();
    return { stop, go: () => customer.begin(slug, coupon?.(slug) ?? null) };
  });

/** The webhook tells of a payment; the buyer's browser does not come back. */
const paying = (name: string, stop: Stop, coupon?: (slug: string) => string): KillPoint =>
  point(name, async (aim) => {
    const checkout = await startStraight(aim, coupon);
    return { stop, go: () => aim.customer.pay(checkout) };
  });

const payingLate = (name: string, until: "arrived" | "worked"): KillPoint =>
  point(name, async (aim) => {
    const { orderId } = await startStraight(aim);
    const { paymentId } = await aim.gateway.payLate(orderId);
    const stop = wire(`POST /v1/payments/${paymentId}/capture`, until);
    return { stop, go: () => aim.gateway.authorizeNow(paymentId) };
  });

const payingTwice = (name: string, stop: Stop): KillPoint =>
  point(name, async (aim) => {
    const checkout = await startStraight(aim);
    await aim.customer.confirm(await aim.customer.pay(checkout));
    return { stop, go: () => aim.gateway.payAgain(checkout.orderId) };
  });

export const POINTS: readonly KillPoint[] = [
  starting("hold: purchase written", statement("purchase-written")),
  starting("hold: order row written", statement("order-row-written")),
  starting("hold: coupon use taken", statement("coupon-use-taken"), tenthOff),
  starting("hold: unit of stock taken", statement("unit-taken")),
  starting("hold: about to commit", statement("hold-commits")),
  starting("₹0: pass written", statement("granted-for-nothing"), everythingOff),
  starting("order: asked, not made", wire("create-order", "arrived")),
  starting("order: made, not answered", wire("create-order", "worked")),
  point("order: lost answer, looked for by receipt", async ({ customer, gateway }) => {
    const slug = customer.nextTool();
    const go = async () => {
      await gateway.faults.add({ match: "create-order", what: "drop-after", times: 1 });
      return customer.begin(slug);
    };
    return { stop: wire("list-orders", "arrived"), go };
  }),
  starting("order: answered, not noted", statement("order-id-noted")),
  point("checkout open, paid while all is down", async (aim) => {
    const checkout = await startStraight(aim);
    return {
      stop: { at: "moment" },
      go: async () => undefined,
      meanwhile: () => aim.customer.pay(checkout),
    };
  }),
  point("paid, callback not sent", async (aim) => {
    const { meanwhile } = await payUnheard(aim);
    return { stop: { at: "moment" }, go: async () => undefined, meanwhile };
  }),
  point("callback: gateway asked, not answered", async (aim) => {
    const { paid, meanwhile } = await payUnheard(aim);
    return { stop: askedAbout(paid.razorpay_order_id), go: () => aim.customer.confirm(paid), meanwhile };
  }),
  point("callback: answered, next not asked", async (aim) => {
    const { paid, meanwhile } = await payUnheard(aim);
    return { stop: { at: "moment" }, go: () => aim.customer.confirm(paid), meanwhile };
  }),
  paying("webhook: arrived, not stored", statement("event-stored")),
  paying("webhook: about to commit", statement("event-commits")),
  point("webhook: answered, gateway asked about it", async (aim) => {
    const checkout = await startStraight(aim);
    return { stop: askedAbout(checkout.orderId), go: () => aim.customer.pay(checkout) };
  }),
  allWebhooksAnswered,
  paying("webhook: worked off, not put away", statement("event-put-away")),
  payingLate("late authorisation: capture asked", "arrived"),
  payingLate("late authorisation: captured, not answered", "worked"),
  paying("pass: written", statement("pass-written")),
  paying("pass: payment written", statement("payment-written"), tenthOff),
  paying("pass: order settled", statement("order-settled")),
  paying("pass: about to commit", statement("pass-commits"), tenthOff),
  point("closing: unit given back", async (aim) => {
    const checkout = await startStraight(aim);
    return { stop: statement("unit-given-back"), go: () => aim.customer.cancel(checkout) };
  }),
  point("closed, then paid: unit taken again", async (aim) => {
    const checkout = await startStraight(aim);
    await aim.customer.cancel(checkout);
    return { stop: statement("unit-taken"), go: () => aim.customer.pay(checkout) };
  }),
  payingTwice("refund: decided", statement("refund-decided")),
  payingTwice("refund: mail queued", statement("refund-mail-queued")),
  payingTwice("refund: about to commit", statement("refund-commits")),
  payingTwice("refund: asked, not made", wire("refund", "arrived")),
  payingTwice("refund: made, not answered", wire("refund", "worked")),
  payingTwice("refund: answered, not noted", statement("refund-answer-noted")),
];
