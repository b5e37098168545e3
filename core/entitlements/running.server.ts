import { and, eq, gt, inArray, isNull, lte, type SQL } from "drizzle-orm";
import { userPurchases } from "#db/tables/purchases.ts";
import type { Context } from "../context.ts";
import { testPassesCount } from "./test-passes.ts";

/** The one definition of access: completed, not ended, and now within [startsAt, expiresAt). */
export function isRunningAt(now: Date): SQL | undefined {
  return and(
    inArray(userPurchases.status, ["completed", "active"]),
    isNull(userPurchases.endedAt),
    lte(userPurchases.startsAt, now),
    gt(userPurchases.expiresAt, now),
  );
}

/** A pass that opens its tool in this shop now. */
export function isPassNow(ctx: Context): SQL | undefined {
  const counts = testPassesCount(ctx) ? undefined : eq(userPurchases.testMode, false);
  return and(isRunningAt(ctx.clock.now()), counts);
}
