import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type CaptureFacts,
  type PurchaseEvent,
  type PurchaseState,
  purchaseTransition,
} from "../purchases/purchase-machine.ts";
import { type PaymentEvent, type PaymentState, paymentTransition } from "./payment-machine.ts";

const RUNS = 10_000;

/** The two tables at work on one tool with few units and one coupon with few uses, without a database. */
interface World {
  stock: number;
  uses: number;
  purchases: { state: PurchaseState; keepsUnit: boolean }[];
  payments: { purchase: number; state: PaymentState; goesBack: number; reversed: boolean }[];
}

const PURCHASES = 3;
const few = fc.integer({ min: 1, max: 3 });

/** Sequences in which everything is wrong at once show little of what follows a pass. */
const mostly = (usual: boolean) => fc.integer({ min: 0, max: 9 }).map((n) => (n < 9 ? usual : !usual));
const gatewaySays = fc.constantFrom<PaymentEvent>(
  "gateway-created",
  "gateway-failed",
  "gateway-authorized",
  "gateway-captured",
  "gateway-refunded",
);
const shopEvent = fc.constantFrom<PurchaseEvent>(
  { type: "resumed" },
  { type: "replaced" },
  { type: "attempt-failed" },
  { type: "hold-expired" },
  { type: "closed" },
  { type: "order-refused" },
  { type: "cancelled" },
  { type: "account-closed" },
);
const step = fc.oneof(
  fc.record({ kind: fc.constant("start" as const) }),
  fc.record({ kind: fc.constant("shop" as const), purchase: fc.nat(PURCHASES - 1), event: shopEvent }),
  fc.record({
    kind: fc.constant("told" as const),
    purchase: fc.nat(PURCHASES - 1),
    payment: fc.nat(1),
    event: gatewaySays,
    accountUsable: mostly(true),
    ownsTool: mostly(false),
    amountMatches: mostly(true),
  }),
  fc.record({ kind: fc.constant("time" as const), purchase: fc.nat(PURCHASES - 1) }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Moves one purchase and keeps the counters, as the shop does. @returns whether the money for it goes back */
function move(world: World, index: number, event: PurchaseEvent): { refund: boolean; moved: boolean } {
  const purchase = world.purchases[index];
  if (!purchase) return { refund: false, moved: false };
  const next = purchaseTransition(purchase.state, event);
  if (next.kind !== "transition") return { refund: false, moved: false };
  if (next.unit === "reacquire") {
    if (world.uses === 0) return move(world, index, { type: "reservation-unavailable", what: "coupon" });
    if (world.stock === 0) return move(world, index, { type: "reservation-unavailable", what: "stock" });
    world.stock--;
    world.uses--;
    purchase.keepsUnit = true;
  }
  if (next.unit === "release" && purchase.keepsUnit) {
    world.stock++;
    world.uses++;
    purchase.keepsUnit = false;
  }
  purchase.state = next.to;
  return { refund: next.refund !== undefined, moved: true };
}

function start(world: World): void {
  if (world.purchases.length === PURCHASES || world.stock === 0 || world.uses === 0) return;
  world.stock--;
  world.uses--;
  world.purchases.push({ state: "held", keepsUnit: true });
}

type Facts = Pick<CaptureFacts, "accountUsable" | "ownsTool" | "amountMatches">;

/** Whether a capture would make a pass now. */
function becomesPass(world: World, purchase: number, facts: Facts): boolean {
  const state = world.purchases[purchase]?.state ?? "held";
  const next = purchaseTransition(state, { type: "captured", alreadyRefunded: false, ...facts });
  if (next.kind !== "transition" || next.refund) return false;
  return next.unit !== "reacquire" || (world.stock > 0 && world.uses > 0);
}

function told(world: World, { purchase, payment, event, ...facts }: Extract<Step, { kind: "told" }>): void {
  if (!world.purchases[purchase]) return;
  const mine = world.payments.filter((known) => known.purchase === purchase);
  const known = mine[payment] ?? { purchase, state: "unseen" as PaymentState, goesBack: 0, reversed: false };
  const next = paymentTransition(known.state, event);
  const before = known.state;
  known.reversed ||= event === "gateway-refunded" && mine.includes(known);
  if (next.kind !== "transition") return;
  known.state = next.to;
  if (!mine.includes(known)) world.payments.push(known);
  if (known.state === "authorized" && !becomesPass(world, purchase, facts)) {
    const left = paymentTransition(known.state, "left-uncaptured");
    if (left.kind === "transition") known.state = left.to;
  } else if (known.state === "captured") {
    const alreadyRefunded = event === "gateway-refunded";
    const { refund } = move(world, purchase, { type: "captured", alreadyRefunded, ...facts });
    const decided = paymentTransition("captured", refund ? "refund" : "becomes-pass");
    if (decided.kind === "transition") known.state = decided.to;
    if (refund) known.goesBack++;
  } else if (known.state === "refund") {
    known.goesBack++;
    if (before === "pass") move(world, purchase, { type: "payment-reversed" });
  }
}

function cancel(world: World, index: number, refund: boolean): void {
  move(world, index, { type: "cancelled" });
  for (const payment of world.payments.filter(({ purchase }) => purchase === index)) {
    const next = paymentTransition(payment.state, refund ? "refund" : "retain");
    if (next.kind !== "transition") continue;
    payment.state = next.to;
    if (next.to === "refund") payment.goesBack++;
  }
}

function perform(world: World, taken: Step): void {
  switch (taken.kind) {
    case "start":
      return start(world);
    case "shop":
      if (taken.event.type === "cancelled") return cancel(world, taken.purchase, taken.purchase % 2 === 0);
      move(world, taken.purchase, taken.event);
      return;
    case "told":
      return told(world, taken);
    case "time": {
      const purchase = world.purchases[taken.purchase];
      if (purchase?.state === "active") purchase.state = "expired";
    }
  }
}

function check(world: World, had: { stock: number; uses: number }): void {
  const kept = world.purchases.filter(({ keepsUnit }) => keepsUnit).length;
  expect(world.stock + kept, "every unit is on the shelf or with one purchase").toBe(had.stock);
  expect(world.uses + kept, "so is every use of the coupon").toBe(had.uses);
  expect(Math.min(world.stock, world.uses)).toBeGreaterThanOrEqual(0);
  for (const { state, keepsUnit } of world.purchases) {
    if (state === "held" || state === "active") expect(keepsUnit, `${state} has its unit`).toBe(true);
    if (["hold-released", "replaced", "refunded"].includes(state)) expect(keepsUnit, state).toBe(false);
  }
  for (const [index, purchase] of world.purchases.entries()) {
    const mine = world.payments.filter((payment) => payment.purchase === index);
    const living = mine.filter(({ state }) => state === "pass").length;
    expect(living, "one payment at most is the pass").toBeLessThanOrEqual(1);
    if (purchase.state === "active") expect(living, "nobody has a pass for nothing").toBe(1);
    if (living === 1) expect(["active", "expired", "revoked"]).toContain(purchase.state);
  }
  for (const { state, goesBack, reversed } of world.payments) {
    if (reversed) expect(state, "what the gateway paid back is paid back").toBe("refund");
    expect(state, "captured money never waits").not.toBe("captured");
    expect(goesBack, "goes back once if at all").toBe(state === "refund" ? 1 : 0);
  }
}

test("in any order, with repeats and losses: captured money is a pass, a refund or a cancellation, and units add up", () => {
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
  // Thousands of runs without a pause: on a busy machine they take longer than other tests may.
}, 180_000);
