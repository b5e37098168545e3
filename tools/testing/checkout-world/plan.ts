import fc from "fast-check";
import * as buyer from "./buyer-commands.ts";
import type { Command } from "./command.ts";
import * as gateway from "./gateway-commands.ts";
import { lateMoney } from "./late-money.ts";
import * as shop from "./shop-commands.ts";
import type { WorldPlan } from "./world.ts";

const LARGEST_BATCH = 5;

interface Step {
  command: Command;
  /** Runs beside the one before it. */
  together: boolean;
  /** Milliseconds after the batch has begun. */
  afterMs: number;
}

/** A small world and what happens in it: batches one after the other, the steps of each batch side by side. */
export class Plan {
  readonly world: WorldPlan;
  readonly batches: readonly (readonly Step[])[];

  constructor(world: WorldPlan, steps: readonly Step[]) {
    this.world = world;
    this.batches = batchesOf(steps);
  }

  /** How many commands it holds. */
  get length(): number {
    return this.batches.reduce((sum, batch) => sum + batch.length, 0);
  }

  /** For whoever reads a failure. */
  toString(): string {
    const { stocks, coupon, buyers } = this.world;
    const lines = this.batches.map((batch, index) => {
      const said = batch.map(({ command, afterMs }) =>
        afterMs > 0 ? `(${afterMs} ms later) ${command.words}` : command.words,
      );
      return `${index + 1}. ${said.join("\n   | ")}`;
    });
    const coupons = `${coupon.limit} × ${coupon.percent} % off`;
    return `\nstock ${stocks.join(" and ")}, ${coupons}, ${buyers} buyers\n${lines.join("\n")}\n`;
  }
}

function batchesOf(steps: readonly Step[]): Step[][] {
  const batches: Step[][] = [];
  for (const step of steps) {
    if (step.command === nothing) continue;
    const last = batches.at(-1);
    if (last && step.together && last.length < LARGEST_BATCH) last.push(step);
    else batches.push([step]);
  }
  return batches;
}

/** What a command that a failure does not need shrinks to. */
const nothing: Command = { words: "nothing", perform: async () => null };

const weighted = (weight: number, arbitrary: fc.Arbitrary<Command>) => ({ weight, arbitrary });

const command = fc.oneof(
  { withCrossShrink: true },
  weighted(1, fc.constant(nothing)),
  weighted(18, buyer.checkout),
  weighted(5, buyer.secondTab),
  weighted(34, gateway.pay),
  weighted(12, buyer.confirm),
  weighted(9, gateway.deliver),
  weighted(10, shop.job),
  weighted(6, gateway.decide),
  weighted(6, gateway.fault),
  weighted(5, shop.time),
  weighted(5, buyer.close),
  weighted(4, shop.cancel),
  weighted(5, gateway.refundByOwner),
  weighted(5, shop.rush),
  weighted(7, lateMoney),
  weighted(2, shop.deleteBuyer),
  weighted(1, shop.disableBuyer),
  weighted(3, gateway.lose),
  weighted(7, gateway.refund),
  weighted(4, gateway.endRefund),
  weighted(2, buyer.look),
  weighted(2, buyer.forge),
  weighted(1, gateway.forgeWebhook),
  weighted(1, shop.switchCoupon),
);

const steps = (commands: fc.Arbitrary<Command>, few: { min: number; max: number }) =>
  fc.array(
    fc.record({ command: commands, together: fc.boolean(), afterMs: fc.constantFrom(0, 0, 0, 1, 4) }),
    { minLength: few.min, maxLength: few.max, size: "max" },
  );

const stock = fc.constantFrom(1, 1, 2, 3);

const world = fc.record({
  stocks: fc.oneof(fc.tuple(stock), fc.tuple(stock), fc.tuple(stock, stock)),
  coupon: fc.record({ percent: fc.constantFrom(20, 20, 100), limit: fc.constantFrom(1, 1, 2) }),
  buyers: fc.integer({ min: 2, max: 4 }),
});

/** 6 commands up to so many, the first few of them checkouts: before those nothing much can happen. */
export const plans = (longest: number): fc.Arbitrary<Plan> =>
  fc
    .tuple(world, steps(buyer.checkout, { min: 2, max: 4 }), steps(command, { min: 4, max: longest - 4 }))
    .map(([facts, opening, rest]) => new Plan(facts, [...opening, ...rest]));
