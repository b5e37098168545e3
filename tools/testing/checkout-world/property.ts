import fc from "fast-check";
import type { FakeShop } from "../fake-shop.ts";
import { plans } from "./plan.ts";
import { runPlan } from "./run-plan.ts";
import type { Tally } from "./tally.ts";

/**
 * Runs so many random sequences of what can happen to checkouts, and fails with the shortest one found that breaks a
 * promise: captured ⇒ exactly one of pass, refund, audited cancellation; passes within the stock; coupon uses within the
 * limit; revenue = captured − refunded.
 *
 * @param options.longest how many commands a sequence has at most; at least 6
 * @param options.withinMs gives up after so long, as a failure
 * @param options.onSequence told how many have gone well so far
 * @returns how often what came about
 * @throws Error with the sequence and what was done in it
 */
export async function checkAnyOrder(
  shop: FakeShop,
  options: {
    sequences: number;
    longest: number;
    seed: number;
    withinMs: number;
    onSequence?: (done: number) => void;
  },
): Promise<Tally> {
  const tally: Tally = new Map();
  const property = fc.asyncProperty(plans(options.longest), async (plan) => {
    await runPlan(shop, plan, tally);
    options.onSequence?.(tally.get("sequences") ?? 0);
  });
  await fc.assert(property, {
    numRuns: options.sequences,
    seed: options.seed,
    interruptAfterTimeLimit: options.withinMs,
    markInterruptAsFailure: true,
    includeErrorInReport: true,
  });
  return tally;
}
