import fc from "fast-check";
import type { FakeShop } from "../fake-shop.ts";
import type { Tally } from "./book-invariants.ts";
import { plans } from "./plan.ts";
import { runPlan } from "./run-plan.ts";

/**
 * Runs so many random sequences of what can happen to checkouts, and fails with the shortest one found that breaks a
 * promise: captured ⇒ exactly one of pass, refund, audited cancellation; passes within the stock; coupon uses within the
 * limit; revenue = captured − refunded.
 *
 * @param options.withinMs gives up after so long, as a failure
 * @returns how often what came about
 * @throws Error with the sequence and what was done in it
 */
export async function checkAnyOrder(
  shop: FakeShop,
  options: { sequences: number; seed: number; withinMs: number },
): Promise<Tally> {
  const tally: Tally = new Map();
  const property = fc.asyncProperty(plans({ min: 6, max: 25 }), (plan) => runPlan(shop, plan, tally));
  await fc.assert(property, {
    numRuns: options.sequences,
    seed: options.seed,
    interruptAfterTimeLimit: options.withinMs,
    markInterruptAsFailure: true,
  });
  return tally;
}
