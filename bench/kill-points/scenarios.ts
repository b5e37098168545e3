import type { RemoteFakeGateway } from "#tests/fake-gateway/remote.ts";
import type { Random } from "#tests/random.ts";
import { coupon10, coupon25, coupon100, SCARCE_TOOLS } from "./catalogue.ts";
import type { Customer } from "./customer.ts";
import type { WebhookProxy } from "./webhook-proxy.ts";

export interface ScenarioContext {
  customer: Customer;
  /** Another customer, for scenarios with two. */
  otherCustomer(): Promise<Customer>;
  gateway: RemoteFakeGateway;
  webhookProxy: WebhookProxy;
  random: Random;
}

type Scenario = (context: ScenarioContext) => Promise<void>;

/** Some browsers never return from the gateway. */
const confirmUsually = async (
  { customer, random }: ScenarioContext,
  signedPayment: Parameters<Customer["confirm"]>[0],
) => {
  if (random.chance(0.7)) await customer.confirm(signedPayment);
};

const paysOnce: Scenario = async (context) => {
  const { customer } = context;
  const checkout = await customer.start(customer.nextTool());
  await confirmUsually(context, await customer.pay(checkout));
};

const paysAfterFailure: Scenario = async (context) => {
  const { customer, gateway } = context;
  const checkout = await customer.start(customer.nextTool());
  await gateway.fail(checkout.orderId);
  await confirmUsually(context, await customer.pay(checkout));
};

const paysAfterClosing: Scenario = async (context) => {
  const { customer } = context;
  const checkout = await customer.start(customer.nextTool());
  await customer.cancel(checkout);
  await confirmUsually(context, await customer.pay(checkout));
};

const authorisesLate: Scenario = async ({ customer, gateway, random }) => {
  const checkout = await customer.start(customer.nextTool());
  const { paymentId } = await gateway.startPayment(checkout.orderId);
  if (random.chance(0.5)) await customer.cancel(checkout);
  await gateway.authorizeNow(paymentId);
};

const usesCoupon: Scenario = async (context) => {
  const { customer, random } = context;
  const slug = customer.nextTool();
  const coupon = random.chance(0.5) ? coupon10(slug) : coupon25(slug);
  const checkout = await customer.start(slug, coupon);
  if (random.chance(0.3)) await customer.cancel(checkout);
  await confirmUsually(context, await customer.pay(checkout));
};

const paysTwice: Scenario = async (context) => {
  const { customer, gateway, webhookProxy, random } = context;
  const checkout = await customer.start(customer.nextTool());
  const first = await customer.pay(checkout);
  if (random.chance(0.5)) {
    // Once the first payment is a pass, the shop no longer polls the order at a start: only the webhook reports the
    // second.
    webhookProxy.setMode(checkout.orderId, "forward");
    await customer.confirm(first);
  }
  await gateway.payAgain(checkout.orderId);
  await confirmUsually(context, first);
};

const usesFreeCoupon: Scenario = async ({ customer }) => {
  const slug = customer.nextTool();
  await customer.tryStart(slug, coupon100(slug));
};

/** The first order is paid too, from a window that is still open. */
const replacesCheckout: Scenario = async (context) => {
  const { customer, random } = context;
  const slug = customer.nextTool();
  const first = await customer.start(slug);
  const second = await customer.start(slug, coupon10(slug));
  await confirmUsually(context, await customer.pay(first));
  if (random.chance(0.5)) await confirmUsually(context, await customer.pay(second));
};

const leavesOpen: Scenario = async ({ customer }) => {
  customer.openCheckouts++;
  await customer.start(customer.nextTool());
};

/** Releases the last unit, and pays for it after another customer has bought it. */
const paysTooLate: Scenario = async (context) => {
  const { customer, random } = context;
  const slug = random.pick(SCARCE_TOOLS);
  const checkout = await customer.start(slug);
  await customer.cancel(checkout);
  const otherCustomer = await context.otherCustomer();
  const other = await otherCustomer.tryStart(slug);
  if (other.kind === "to-pay") await context.gateway.pay(other.orderId);
  await confirmUsually(context, await customer.pay(checkout));
};

/** Repetition makes a scenario more likely. */
export const SCENARIOS: readonly Scenario[] = [
  paysOnce,
  paysOnce,
  paysOnce,
  paysOnce,
  paysAfterFailure,
  paysAfterClosing,
  paysAfterClosing,
  authorisesLate,
  authorisesLate,
  usesCoupon,
  usesCoupon,
  paysTwice,
  paysTwice,
  usesFreeCoupon,
  replacesCheckout,
  leavesOpen,
  paysTooLate,
  paysTooLate,
];
