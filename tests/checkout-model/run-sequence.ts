import { sql } from "drizzle-orm";
import { SandboxApiError } from "#adapters/sandbox-gateway/entities.ts";
import { DomainError, isDomainError } from "#core/errors.ts";
import type { FakeGatewayShop } from "../fixtures/fake-gateway-shop.ts";
import { type Command, countOutcome, InvariantViolation, type OutcomeCounts } from "./command.ts";
import type { CommandSequence } from "./command-sequence.ts";
import { checkLedgerInvariants } from "./ledger-invariants.ts";
import { createModel, type Model } from "./model.ts";
import { reachFinalState } from "./reach-final-state.ts";
import { checkTableInvariants } from "./table-invariants.ts";

/**
 * Runs a sequence on a new model. Checks the table invariants after each batch and in the final state, and the ledger
 * invariants in the final state.
 *
 * @param counts counts commands and outcomes of payments
 * @throws InvariantViolation with the trace and the invariants that do not hold
 */
export async function runSequence(
  shop: FakeGatewayShop,
  sequence: CommandSequence,
  counts: OutcomeCounts,
): Promise<void> {
  const model = await createModel(shop, sequence.initialState);
  try {
    for (const batch of sequence.batches) {
      model.trace.push("—");
      shop.clock.advance(batch.reduce((sum, { command }) => sum + (command.advanceClockMs ?? 0), 0));
      const ends = await Promise.allSettled(
        batch.map(({ command, delayMs }) => runAfter(model, command, delayMs, counts)),
      );
      for (const end of ends) if (end.status === "rejected") throw end.reason;
      await checkInvariants(model);
      // The next batch gets later timestamps than this one.
      shop.clock.advance(1);
    }
    model.trace.push("— final state");
    await reachFinalState(model);
    await checkInvariants(model);
    await checkLedgerInvariants(model, counts);
    countOutcome(counts, "sequences");
  } catch (error) {
    const problem = error instanceof Error ? error : new Error(String(error));
    await cleanUp(model);
    throw new InvariantViolation(`${problem.message}\n\nTrace:\n${model.trace.join("\n")}\n`, {
      cause: error,
    });
  }
}

async function checkInvariants(model: Model): Promise<void> {
  const loggedFaults = model.shop.loggedFaults.splice(0);
  if (loggedFaults.length > 0) throw new InvariantViolation(loggedFaults.join("; "));
  await checkTableInvariants(model);
}

async function runAfter(
  model: Model,
  command: Command,
  delayMs: number,
  counts: OutcomeCounts,
): Promise<void> {
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
  const trace = (what: string) => model.trace.push(`${command.description}: ${what}`);
  try {
    const result = await command.run(model);
    if (result === null) return;
    trace(result || "done");
    countOutcome(counts, "commands");
  } catch (error) {
    if (error instanceof SandboxApiError) {
      trace(`the gateway refuses: ${error.message}`);
    } else if (isDomainError(error) && command.allowedRefusals?.includes(error.code)) {
      trace(`refused: ${error.code}`);
      countOutcome(counts, `refused: ${error.code}`);
    } else {
      const why = error instanceof DomainError ? error.code : describeError(error);
      trace(`ended with ${why}`);
      throw new InvariantViolation(`'${command.description}' ended with ${why}`, { cause: error });
    }
    countOutcome(counts, "commands");
  }
}

/** A failed query says in its cause why it failed. */
function describeError(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? String(error) : `${String(error)}, because of ${describeError(cause)}`;
}

/** After a violation: unfinished rows must not keep the jobs of later sequences busy. */
async function cleanUp({ shop }: Model): Promise<void> {
  shop.fake.faults.clear();
  shop.fake.holdRefunds(false);
  await shop.db.execute(sql`update payment_orders set state = 'closed', next_check_at = null`);
  await shop.db.execute(
    sql`update user_purchases set status = 'failed', hold_ends_at = null where status = 'pending'`,
  );
  await shop.db.execute(
    sql`update refunds set status = 'failed' where status in ('requested', 'processing')`,
  );
  await shop.db.execute(sql`update gateway_events set handled_at = now() where handled_at is null`);
}
