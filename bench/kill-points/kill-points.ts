import type { RequestMatch } from "#tests/fake-gateway/faults.ts";
import type { RemoteFakeGateway } from "#tests/fake-gateway/remote.ts";
import { isDelivered } from "#tests/fake-gateway/webhooks.ts";
import type { SignedPayment } from "../support/shop-buyer.ts";
import { coupon10, coupon100 } from "./catalogue.ts";
import type { Checkout, Customer } from "./customer.ts";
import type { StatementBreakpointName } from "./statement-breakpoints.ts";
import type { WebhookProxy } from "./webhook-proxy.ts";

/** What a kill point works with. */
export interface PointContext {
  customer: Customer;
  gateway: RemoteFakeGateway;
  webhookProxy: WebhookProxy;
}

interface GatewayBreakpoint {
  at: "gateway-request";
  request: RequestMatch;
  until: "arrived" | "processed";
}

/** Name of the gate at which requests to the gateway wait. */
export const GATE = "kill";

/** Where the shop is paused for the kill. */
export type Breakpoint =
  | { at: "statement"; name: StatementBreakpointName }
  /** A request to the gateway: arrived and not processed, or processed and without a response. */
  | GatewayBreakpoint
  /** When `run` is done. */
  | { at: "moment" };

/** A checkout just before its breakpoint. */
export interface PreparedCheckout {
  breakpoint: Breakpoint;
  /** Continues to the breakpoint. Its result does not matter after the kill. */
  run(): Promise<unknown>;
  /** Runs while the shop is down. */
  whileDown?(): Promise<unknown>;
}

export interface KillPoint {
  name: string;
  /** No other customers buy, so that their checkouts do not trigger unfinished work. */
  withoutLoad?: true;
  prepare(context: PointContext): Promise<PreparedCheckout>;
}

const point = (name: string, prepare: KillPoint["prepare"]): KillPoint => ({ name, prepare });
const statement = (name: StatementBreakpointName): Breakpoint => ({ at: "statement", name });
const gatewayRequest = (request: RequestMatch, until: "arrived" | "processed"): GatewayBreakpoint => ({
  at: "gateway-request",
  request,
  until,
});
const orderPoll = (orderId: string) => gatewayRequest(`GET /v1/orders/${orderId}/payments`, "arrived");

/** All webhooks of a payment are delivered, and the shop polls the order because of them. */
const allWebhooksAnswered: KillPoint = {
  name: "webhooks: all accepted, order being polled, no load",
  withoutLoad: true,
  async prepare(context) {
    const checkout = await startWithWebhooks(context);
    const gate = { match: orderPoll(checkout.orderId).request, what: "gate", gate: GATE } as const;
    await context.gateway.faults.add(gate);
    await context.customer.pay(checkout);
    while (await hasUndelivered(context.gateway, checkout))
      await new Promise((resolve) => setTimeout(resolve, 50));
    return { breakpoint: { at: "moment" }, run: async () => undefined };
  },
};

async function hasUndelivered(gateway: RemoteFakeGateway, { orderId }: Checkout): Promise<boolean> {
  const events = (await gateway.webhooks.events()).filter((event) => event.orderId === orderId);
  return events.some((event) => !isDelivered(event));
}

/** Starts a checkout whose webhooks are all delivered. */
async function startWithWebhooks(
  { customer, webhookProxy }: PointContext,
  coupon?: (slug: string) => string,
): Promise<Checkout> {
  const slug = customer.nextTool();
  const checkout = await customer.start(slug, coupon?.(slug) ?? null);
  webhookProxy.setMode(checkout.orderId, "forward");
  return checkout;
}

/** Pays a checkout whose webhooks are rejected until the shop is down. */
async function payWithoutWebhooks(
  context: PointContext,
): Promise<{ signedPayment: SignedPayment; whileDown: () => Promise<void> }> {
  const checkout = await startWithWebhooks(context);
  context.webhookProxy.setMode(checkout.orderId, "reject");
  const signedPayment = await context.customer.pay(checkout);
  return { signedPayment, whileDown: async () => context.webhookProxy.setMode(checkout.orderId, "forward") };
}

const atStart = (name: string, breakpoint: Breakpoint, coupon?: (slug: string) => string): KillPoint =>
  point(name, async ({ customer }) => {
    const slug = customer.nextTool();
    return { breakpoint, run: () => customer.tryStart(slug, coupon?.(slug) ?? null) };
  });

/** Only a webhook reports the payment to the shop; the browser does not return. */
const atPayment = (name: string, breakpoint: Breakpoint, coupon?: (slug: string) => string): KillPoint =>
  point(name, async (context) => {
    const checkout = await startWithWebhooks(context, coupon);
    return { breakpoint, run: () => context.customer.pay(checkout) };
  });

const atLatePayment = (name: string, until: "arrived" | "processed"): KillPoint =>
  point(name, async (context) => {
    const { orderId } = await startWithWebhooks(context);
    const { paymentId } = await context.gateway.startPayment(orderId);
    const breakpoint = gatewayRequest(`POST /v1/payments/${paymentId}/capture`, until);
    return { breakpoint, run: () => context.gateway.authorizeNow(paymentId) };
  });

const atSecondPayment = (name: string, breakpoint: Breakpoint): KillPoint =>
  point(name, async (context) => {
    const checkout = await startWithWebhooks(context);
    await context.customer.confirm(await context.customer.pay(checkout));
    return { breakpoint, run: () => context.gateway.payAgain(checkout.orderId) };
  });

export const POINTS: readonly KillPoint[] = [
  atStart("hold: purchase written", statement("purchase-written")),
  atStart("hold: order row written", statement("order-row-written")),
  atStart("hold: coupon use taken", statement("coupon-use-taken"), coupon10),
  atStart("hold: stock held", statement("stock-taken")),
  atStart("hold: about to commit", statement("hold-commits")),
  atStart("₹0: pass written", statement("free-pass-written"), coupon100),
  atStart("order: requested, not created", gatewayRequest("create-order", "arrived")),
  atStart("order: created, no response", gatewayRequest("create-order", "processed")),
  point("order: response lost, searched by receipt", async ({ customer, gateway }) => {
    const slug = customer.nextTool();
    const run = async () => {
      await gateway.faults.add({ match: "create-order", what: "drop-after", times: 1 });
      return customer.tryStart(slug);
    };
    return { breakpoint: gatewayRequest("list-orders", "arrived"), run };
  }),
  atStart("order: response received, not stored", statement("order-id-stored")),
  point("checkout open, paid while the shop is down", async (context) => {
    const checkout = await startWithWebhooks(context);
    return {
      breakpoint: { at: "moment" },
      run: async () => undefined,
      whileDown: () => context.customer.pay(checkout),
    };
  }),
  point("paid, not confirmed", async (context) => {
    const { whileDown } = await payWithoutWebhooks(context);
    return { breakpoint: { at: "moment" }, run: async () => undefined, whileDown };
  }),
  point("confirmation: gateway polled, no response", async (context) => {
    const { signedPayment, whileDown } = await payWithoutWebhooks(context);
    return {
      breakpoint: orderPoll(signedPayment.razorpay_order_id),
      run: () => context.customer.confirm(signedPayment),
      whileDown,
    };
  }),
  point("confirmation: done", async (context) => {
    const { signedPayment, whileDown } = await payWithoutWebhooks(context);
    return { breakpoint: { at: "moment" }, run: () => context.customer.confirm(signedPayment), whileDown };
  }),
  atPayment("webhook: arrived, not stored", statement("event-stored")),
  atPayment("webhook: about to commit", statement("event-commits")),
  point("webhook: accepted, order being polled", async (context) => {
    const checkout = await startWithWebhooks(context);
    return { breakpoint: orderPoll(checkout.orderId), run: () => context.customer.pay(checkout) };
  }),
  allWebhooksAnswered,
  atPayment("webhook: processed, not marked", statement("event-processed")),
  atLatePayment("late authorisation: capture requested", "arrived"),
  atLatePayment("late authorisation: captured, no response", "processed"),
  atPayment("pass: written", statement("pass-written")),
  atPayment("pass: payment written", statement("payment-written"), coupon10),
  atPayment("pass: order settled", statement("order-settled")),
  atPayment("pass: about to commit", statement("pass-commits"), coupon10),
  point("cancellation: stock released", async (context) => {
    const checkout = await startWithWebhooks(context);
    return { breakpoint: statement("stock-released"), run: () => context.customer.cancel(checkout) };
  }),
  point("cancelled, then paid: stock reacquired", async (context) => {
    const checkout = await startWithWebhooks(context);
    await context.customer.cancel(checkout);
    return { breakpoint: statement("stock-taken"), run: () => context.customer.pay(checkout) };
  }),
  atSecondPayment("refund: decided", statement("refund-decided")),
  atSecondPayment("refund: mail queued", statement("refund-mail-queued")),
  atSecondPayment("refund: about to commit", statement("refund-commits")),
  atSecondPayment("refund: requested, not made", gatewayRequest("refund", "arrived")),
  atSecondPayment("refund: made, no response", gatewayRequest("refund", "processed")),
  atSecondPayment("refund: response received, not stored", statement("refund-response-stored")),
];
