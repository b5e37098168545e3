import fc from "fast-check";
import type { FakeGatewayShop } from "../fixtures/fake-gateway-shop.ts";
import type { OutcomeCounts } from "./command.ts";
import { commandSequences } from "./command-sequence.ts";
import { runSequence } from "./run-sequence.ts";

/**
 * Model-based property test of checkouts: runs random sequences of commands against the shop and fails with the
 * shortest sequence found that breaks an invariant. The invariants: a captured payment has exactly one of pass, refund,
 * audited cancellation, lost dispute; passes stay within the stock; coupon uses stay within the limit; revenue = captured −
 * refunded − lost.
 *
 * @param options.maxCommands per sequence; at least 6
 * @param options.timeoutMs fails when it takes longer
 * @param options.onSequencePassed called with the number of sequences that passed so far
 * @returns how often each outcome occurred
 * @throws Error with the sequence and the trace of its run
 */
export async function checkRandomSequences(
  shop: FakeGatewayShop,
  options: {
    sequences: number;
    maxCommands: number;
    seed: number;
    timeoutMs: number;
    onSequencePassed?: (done: number) => void;
  },
): Promise<OutcomeCounts> {
  const counts: OutcomeCounts = new Map();
  const property = fc.asyncProperty(commandSequences(options.maxCommands), async (sequence) => {
    await runSequence(shop, sequence, counts);
    options.onSequencePassed?.(counts.get("sequences") ?? 0);
  });
  await fc.assert(property, {
    numRuns: options.sequences,
    seed: options.seed,
    interruptAfterTimeLimit: options.timeoutMs,
    markInterruptAsFailure: true,
    includeErrorInReport: true,
  });
  return counts;
}
