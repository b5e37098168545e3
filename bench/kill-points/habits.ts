import type { RemoteFakeGateway } from "../../tools/testing/fake-gateway/remote.ts";
import type { Random } from "../../tools/testing/random.ts";
import type { Customer } from "./customer.ts";
import { everythingOff, quarterOff, SCARCE, tenthOff } from "./market.ts";
import type { WebhookRoad } from "./webhook-road.ts";

export interface Scene {
  customer: Customer;
  /** Somebody else who buys at the same time. */
  rival(): Promise<Customer>;
  gateway: RemoteFakeGateway;
  road: WebhookRoad;
  random: Random;
}

type Habit = (scene: Scene) => Promise<void>;

/** Some browsers never come back from the gateway. */
const mayConfirm = async ({ customer, random }: Scene, paid: Parameters<Customer["confirm"]>[0]) => {
  if (random.chance(0.7)) await customer.confirm(paid);
};

const ordinary: Habit = async (scene) => {
  const { customer } = scene;
  const checkout = await customer.start(customer.nextTool());
  await mayConfirm(scene, await customer.pay(checkout));
};

const failedThenPaid: Habit = async (scene) => {
  const { customer, gateway } = scene;
  const checkout = await customer.start(customer.nextTool());
  await gateway.fail(checkout.orderId);
  await mayConfirm(scene, await customer.pay(checkout));
};

const closedThenPaid: Habit = async (scene) => {
  const { customer } = scene;
  const checkout = await customer.start(customer.nextTool());
  await customer.cancel(checkout);
  await mayConfirm(scene, await customer.pay(checkout));
};

const authorisedLate: Habit = async ({ customer, gateway, random }) => {
  const checkout = await customer.start(customer.nextTool());
  const { paymentId } = await gateway.payLate(checkout.orderId);
  if (random.chance(0.5)) await customer.cancel(checkout);
  await gateway.authorizeNow(paymentId);
};

const withCoupon: Habit = async (scene) => {
  const { customer, random } = scene;
  const slug = customer.nextTool();
  const coupon = random.chance(0.5) ? tenthOff(slug) : quarterOff(slug);
  const checkout = await customer.start(slug, coupon);
  if (random.chance(0.3)) await customer.cancel(checkout);
  await mayConfirm(scene, await customer.pay(checkout));
};

const paidTwice: Habit = async (scene) => {
  const { customer, gateway, road, random } = scene;
  const checkout = await customer.start(customer.nextTool());
  const first = await customer.pay(checkout);
  if (random.chance(0.5)) {
    // Once the first is a pass, no start asks about the order again: only its webhook tells of the second in time.
    road.treat(checkout.orderId, "straight");
    await customer.confirm(first);
  }
  await gateway.payAgain(checkout.orderId);
  await mayConfirm(scene, first);
};

const forNothing: Habit = async ({ customer }) => {
  const slug = customer.nextTool();
  await customer.begin(slug, everythingOff(slug));
};

/** The first order is paid all the same, from a window that was still open. */
const replaced: Habit = async (scene) => {
  const { customer, random } = scene;
  const slug = customer.nextTool();
  const first = await customer.start(slug);
  const second = await customer.start(slug, tenthOff(slug));
  await mayConfirm(scene, await customer.pay(first));
  if (random.chance(0.5)) await mayConfirm(scene, await customer.pay(second));
};

const leftOpen: Habit = async ({ customer }) => {
  customer.leftOpen++;
  await customer.start(customer.nextTool());
};

/** Gives the last unit up, and pays when somebody else has it. */
const tooLate: Habit = async (scene) => {
  const { customer, random } = scene;
  const slug = random.pick(SCARCE);
  const checkout = await customer.start(slug);
  await customer.cancel(checkout);
  const rival = await scene.rival();
  const other = await rival.begin(slug);
  if (other.kind === "to-pay") await scene.gateway.pay(other.orderId);
  await mayConfirm(scene, await customer.pay(checkout));
};

/** More likely the more often it is named. */
export const HABITS: readonly Habit[] = [
  ...[ordinary, ordinary, ordinary, ordinary],
  ...[failedThenPaid, closedThenPaid, closedThenPaid, authorisedLate, authorisedLate],
  ...[withCoupon, withCoupon, paidTwice, paidTwice, forNothing, replaced, leftOpen, tooLate, tooLate],
];
