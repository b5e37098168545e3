import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { countStatistics, type DashboardStatistics } from "../counters/read-counts.server.ts";

/**
 * The six statistics of the admin's dashboard, from counters and the table of tools.
 *
 * - `totalUsers`: accounts that are not deleted, including admins; `activeUsers`: those that are not disabled.
 * - `totalPurchases`: completed purchases of every source, including ended ones; without deleted purchases and those of
 *   deleted users.
 * - `totalRevenuePaise`: captured payments less processed refunds, without test mode. Deleting a purchase or a user does
 *   not change it.
 * - `totalTools`: tools that are not deleted; `activeTools`: those on sale.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function readDashboardStatistics(ctx: Context): Promise<DashboardStatistics> {
  requireAdmin(ctx, "reads");
  return countStatistics(ctx.db);
}
