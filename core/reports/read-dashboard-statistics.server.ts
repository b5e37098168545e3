import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { readFigures } from "./figures.server.ts";

/** The six statistics of the admin's dashboard. */
export interface DashboardStatistics {
  /** Accounts that are not deleted, including admins. */
  totalUsers: number;
  /** Those that are not disabled. */
  activeUsers: number;
  /** Completed purchases of every source, including ended ones; without deleted purchases and those of deleted users. */
  totalPurchases: number;
  /**
   * Captured payments less processed refunds, without test mode. Deleting a purchase or a user does not change it.
   */
  totalRevenuePaise: number;
  /** Tools that are not deleted. */
  totalTools: number;
  /** Those on sale. */
  activeTools: number;
}

/**
 * They are exact, show an admin's own change at once, and a buyer's within ten seconds.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function readDashboardStatistics(ctx: Context): Promise<DashboardStatistics> {
  requireAdmin(ctx, "reads");
  const { users, activeUsers, completedPurchases, revenuePaise, tools, activeTools } = await readFigures(ctx);
  return {
    ...{ totalUsers: users, activeUsers, totalPurchases: completedPurchases },
    ...{ totalRevenuePaise: revenuePaise, totalTools: tools, activeTools },
  };
}
