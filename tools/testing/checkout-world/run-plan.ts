import { DomainError, isDomainError } from "#core/errors.ts";
import { Refusal } from "../fake-gateway/refusal.ts";
import type { FakeShop } from "../fake-shop.ts";
import { checkBooks } from "./book-invariants.ts";
import { cleanUp } from "./clean-up.ts";
import { type Command, Violation } from "./command.ts";
import type { Plan } from "./plan.ts";
import { settleDown } from "./settle-down.ts";
import { checkTables } from "./table-invariants.ts";
import { count, type Tally } from "./tally.ts";
import { createWorld, type World } from "./world.ts";

/**
 * Carries a plan out in a new world, looks at the tables after each batch, lets everything settle down and looks at the
 * tables and at the gateway's books.
 *
 * @param tally counts commands and what became of payments
 * @throws Violation telling what was done and what does not hold
 */
export async function runPlan(shop: FakeShop, plan: Plan, tally: Tally): Promise<void> {
  const world = await createWorld(shop, plan.world);
  try {
    for (const batch of plan.batches) {
      world.trace.push("—");
      shop.clock.advance(batch.reduce((sum, { command }) => sum + (command.passesMs ?? 0), 0));
      const ends = await Promise.allSettled(
        batch.map(({ command, afterMs }) => performAfter(world, command, afterMs, tally)),
      );
      for (const end of ends) if (end.status === "rejected") throw end.reason;
      await checkAll(world);
      // What the next batch does is later than what this one did.
      shop.clock.advance(1);
    }
    world.trace.push("— settling down");
    await settleDown(world);
    await checkAll(world);
    await checkBooks(world, tally);
    count(tally, "sequences");
  } catch (error) {
    const problem = error instanceof Error ? error : new Error(String(error));
    await cleanUp(world);
    throw new Violation(`${problem.message}\n\nWhat was done:\n${world.trace.join("\n")}\n`, {
      cause: error,
    });
  }
}

async function checkAll(world: World): Promise<void> {
  const faults = world.shop.loggedFaults.splice(0);
  if (faults.length > 0) throw new Violation(faults.join("; "));
  await checkTables(world);
}

async function performAfter(world: World, command: Command, afterMs: number, tally: Tally): Promise<void> {
  if (afterMs > 0) await new Promise((resolve) => setTimeout(resolve, afterMs));
  const said = (what: string) => world.trace.push(`${command.words}: ${what}`);
  try {
    const result = await command.perform(world);
    if (result === null) return;
    said(result || "done");
    count(tally, "commands");
  } catch (error) {
    if (error instanceof Refusal) {
      said(`the gateway refuses: ${error.message}`);
    } else if (isDomainError(error) && command.refusals?.includes(error.code)) {
      said(`refused: ${error.code}`);
      count(tally, `refused: ${error.code}`);
    } else {
      const why = error instanceof DomainError ? error.code : String(error);
      said(`ended with ${why}`);
      throw new Violation(`'${command.words}' ended with ${why}`, { cause: error });
    }
    count(tally, "commands");
  }
}
