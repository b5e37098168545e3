import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type CaptureFacts,
  type PurchaseEvent,
  type PurchaseState,
  purchaseTransition,
} from "../passes/purchase-states.ts";
import { type PaymentEvent, type PaymentState, paymentTransition } from "./payment-states.ts";

const RUNS = 10_000;

/** A model of the shop without a database: one tool with few units and one coupon with few uses. */
interface World {
  stock: number;
  uses: number;
  purchases: { state: PurchaseState; isReserved: boolean }[];
  payments: { purchase: number; state: PaymentState; refundCount: number; reversed: boolean }[];
}

const PURCHASES = 3;
const few = fc.integer({ min: 1, max: 3 });

/** Facts mostly allow a pass: with random facts few sequences would reach one. */
const mostly = (usual: boolean) => fc.integer({ min: 0, max: 9 }).map((n) => (n < 9 ? usual : !usual));
const gatewayEvent = fc.constantFrom<PaymentEvent>(
  "gateway-created",
  "gateway-failed",
  "gateway-authorized",
  "gateway-captured",
  "gateway-refunded",
);
const shopEvent = fc.constantFrom<PurchaseEvent>(
  { type: "replaced" },
  { type: "hold-expired" },
  { type: "closed" },
  { type: "order-refused" },
  { type: "cancelled" },
  { type: "deleted" },
  { type: "account-closed" },
);
const step = fc.oneof(
  fc.record({ kind: fc.constant("start" as const) }),
  fc.record({ kind: fc.constant("shop" as const), purchase: fc.nat(PURCHASES - 1), event: shopEvent }),
  fc.record({
    kind: fc.constant("report" as const),
    purchase: fc.nat(PURCHASES - 1),
    payment: fc.nat(1),
    event: gatewayEvent,
    accountUsable: mostly(true),
    hasActivePass: mostly(false),
    amountMatches: mostly(true),
  }),
  fc.record({ kind: fc.constant("time" as const), purchase: fc.nat(PURCHASES - 1) }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/**
 * Applies an event to one purchase and keeps the counters, as the shop does. @returns whether its payment is refunded
 */
function apply(world: World, index: number, event: PurchaseEvent): boolean {
  const purchase = world.purchases[index];
  if (!purchase) return false;
  const next = purchaseTransition(purchase.state, event);
  if (next.kind !== "transition") return false;
  if (next.reservation === "reacquire") {
    world.stock--;
    world.uses--;
    purchase.isReserved = true;
  }
  if (next.reservation === "release" && purchase.isReserved) {
    world.stock++;
    world.uses++;
    purchase.isReserved = false;
  }
  purchase.state = next.to;
  return next.refund !== undefined;
}

function start(world: World): void {
  if (world.purchases.length === PURCHASES || world.stock === 0 || world.uses === 0) return;
  world.stock--;
  world.uses--;
  world.purchases.push({ state: "held", isReserved: true });
}

type Facts = Pick<CaptureFacts, "accountUsable" | "hasActivePass" | "amountMatches">;

function captureEvent(world: World, index: number, alreadyRefunded: boolean, facts: Facts): PurchaseEvent {
  const isReleased = world.purchases[index]?.state === "hold-released";
  const lacking = world.uses === 0 ? "coupon" : world.stock === 0 ? "stock" : null;
  return { type: "captured", alreadyRefunded, ...facts, unavailable: isReleased ? lacking : null };
}

/** Whether a capture would make a pass now. */
function becomesPass(world: World, index: number, facts: Facts): boolean {
  const state = world.purchases[index]?.state ?? "held";
  const next = purchaseTransition(state, captureEvent(world, index, false, facts));
  return next.kind === "transition" && next.refund === undefined;
}

function report(
  world: World,
  { purchase, payment, event, ...facts }: Extract<Step, { kind: "report" }>,
): void {
  if (!world.purchases[purchase]) return;
  const mine = world.payments.filter((known) => known.purchase === purchase);
  const known = mine[payment] ?? {
    purchase,
    state: "unseen" as PaymentState,
    refundCount: 0,
    reversed: false,
  };
  const next = paymentTransition(known.state, event);
  const before = known.state;
  known.reversed ||= event === "gateway-refunded" && mine.includes(known);
  if (next.kind !== "transition") return;
  known.state = next.to;
  if (!mine.includes(known)) world.payments.push(known);
  if (known.state === "authorized" && !becomesPass(world, purchase, facts)) {
    const left = paymentTransition(known.state, "leave-uncaptured");
    if (left.kind === "transition") known.state = left.to;
  } else if (known.state === "captured") {
    const alreadyRefunded = event === "gateway-refunded";
    const refund = apply(world, purchase, captureEvent(world, purchase, alreadyRefunded, facts));
    const decided = paymentTransition("captured", refund ? "refund" : "fulfil");
    if (decided.kind === "transition") known.state = decided.to;
    if (refund) known.refundCount++;
  } else if (known.state === "refund") {
    known.refundCount++;
    if (before === "pass") apply(world, purchase, { type: "payment-reversed" });
  }
}

function cancel(world: World, index: number, refund: boolean): void {
  apply(world, index, { type: "cancelled" });
  for (const payment of world.payments.filter(({ purchase }) => purchase === index)) {
    const next = paymentTransition(payment.state, refund ? "refund" : "retain");
    if (next.kind !== "transition") continue;
    payment.state = next.to;
    if (next.to === "refund") payment.refundCount++;
  }
}

function perform(world: World, step: Step): void {
  switch (step.kind) {
    case "start":
      return start(world);
    case "shop":
      if (step.event.type === "cancelled") return cancel(world, step.purchase, step.purchase % 2 === 0);
      apply(world, step.purchase, step.event);
      return;
    case "report":
      return report(world, step);
    case "time": {
      const purchase = world.purchases[step.purchase];
      if (purchase?.state === "active") purchase.state = "expired";
    }
  }
}

function check(world: World, had: { stock: number; uses: number }): void {
  const kept = world.purchases.filter(({ isReserved }) => isReserved).length;
  expect(world.stock + kept, "every unit is in stock or reserved by one purchase").toBe(had.stock);
  expect(world.uses + kept, "every coupon use is free or reserved by one purchase").toBe(had.uses);
  expect(Math.min(world.stock, world.uses)).toBeGreaterThanOrEqual(0);
  for (const { state, isReserved } of world.purchases) {
    if (state === "held" || state === "active")
      expect(isReserved, `${state} keeps its reservation`).toBe(true);
    if (["hold-released", "replaced", "refunded"].includes(state)) expect(isReserved, state).toBe(false);
  }
  for (const [index, purchase] of world.purchases.entries()) {
    const mine = world.payments.filter((payment) => payment.purchase === index);
    const passes = mine.filter(({ state }) => state === "pass").length;
    expect(passes, "at most one payment pays for the pass").toBeLessThanOrEqual(1);
    if (purchase.state === "active") expect(passes, "nobody has an active pass without a payment").toBe(1);
    if (passes === 1) expect(["active", "expired", "revoked"]).toContain(purchase.state);
  }
  for (const { state, refundCount, reversed } of world.payments) {
    if (reversed) expect(state, "what the gateway refunded is refunded").toBe("refund");
    expect(state, "a captured payment always has an outcome").not.toBe("captured");
    expect(refundCount, "a payment is refunded at most once").toBe(state === "refund" ? 1 : 0);
  }
}

test("every captured payment has one outcome in any order of events, and stock and coupon uses add up", () => {
  fc.assert(
    fc.property(
      few,
      few,
      fc.array(step, { minLength: 1, maxLength: 40, size: "max" }),
      (stock, uses, steps) => {
        const world: World = { stock, uses, purchases: [], payments: [] };
        for (const taken of steps) {
          perform(world, taken);
          check(world, { stock, uses });
        }
      },
    ),
    { numRuns: RUNS },
  );
  // Thousands of runs take longer than other tests may on a busy machine.
}, 180_000);
