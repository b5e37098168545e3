import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { countTabs, type TabCounts } from "../counters/read-counts.server.ts";

/**
 * How many rows each of the admin's lists has. `purchases` counts ended and expired ones too; deleted rows count nowhere.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function readTabCounts(ctx: Context): Promise<TabCounts> {
  requireAdmin(ctx, "reads");
  return countTabs(ctx.db);
}
