import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { type DashboardStatistics, selectStatistics } from "./queries.server.ts";

/**
 * The six figures of the admin's dashboard, as they are now.
 *
 * - `totalUsers`: every account that is not deleted, the admin's own included; `activeUsers`: those not disabled.
 * - `totalPurchases`: completed purchases, however they came about (paid, given, assigned, imported), ended ones included;
 *   not those whose purchase or user was deleted.
 * - `totalRevenue`: paise captured less paise paid back. Payments in test mode are no revenue, a refund counts once the
 *   money has left, and deleting a purchase or a user changes nothing about the money.
 * - `totalTools`: tools that are not deleted; `activeTools`: those on sale.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function readDashboardStatistics(ctx: Context): Promise<DashboardStatistics> {
  requireAdmin(ctx);
  return selectStatistics(ctx.db);
}
