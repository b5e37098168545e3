import type { Executor } from "#db/database.ts";
import { requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { selectRecentReports } from "./report-queries.server.ts";

/**
 * When the actor last reported each of these codes: within the last hour, and since the code changed.
 *
 * @throws DomainError 'unauthenticated'
 */
export function listMyReports(
  ctx: Context,
  executor: Executor,
  codeIds: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  const { userId } = requireSignedIn(ctx, "reads");
  return selectRecentReports(executor, { userId, codeIds, now: ctx.clock.now() });
}
