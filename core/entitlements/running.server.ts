import { and, gt, inArray, isNull, lte, type SQL } from "drizzle-orm";
import { userPurchases } from "#db/tables/purchases.ts";

/** The one definition of access: completed, not ended, and now within [startsAt, expiresAt). */
export function isRunningAt(now: Date): SQL | undefined {
  return and(
    inArray(userPurchases.status, ["completed", "active"]),
    isNull(userPurchases.endedAt),
    lte(userPurchases.startsAt, now),
    gt(userPurchases.expiresAt, now),
  );
}
