import type { ErrorCode } from "#core/errors.ts";
import type { Model } from "./model.ts";

/**
 * One action of a buyer, the gateway, the shop's jobs or an admin. Indexes in it are taken modulo the size of the
 * model's lists, so that every command is valid in every state.
 */
export interface Command {
  /** For failure reports. Names that exist only at run time are not in it. */
  description: string;
  /** Refusals that the shop may answer with; any other error is a violation. */
  allowedRefusals?: readonly ErrorCode[];
  /** By how many milliseconds the clock advances before any command of the same batch runs. */
  advanceClockMs?: number;
  /**
   * @returns the result, for failure reports; null when the model holds nothing to run it on
   * @throws InvariantViolation when the shop accepts what it must refuse
   */
  run(model: Model): Promise<string | null>;
}

/** The shop broke an invariant. */
export class InvariantViolation extends Error {
  override name = "InvariantViolation";
}

/** How often each outcome occurred, by its name. */
export type OutcomeCounts = Map<string, number>;

export function countOutcome(counts: OutcomeCounts, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
