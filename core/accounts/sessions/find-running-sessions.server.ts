import { requireSystem } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { selectRunningSessions } from "./queries.server.ts";

/**
 * Which of these sessions run, for the live streams that end with their session. Those of disabled and deleted accounts do
 * not.
 *
 * @throws DomainError forbidden
 */
export async function findRunningSessions(ctx: Context, ids: readonly string[]): Promise<string[]> {
  requireSystem(ctx);
  return selectRunningSessions(ctx.db, { ids, now: ctx.clock.now() });
}
