import { and, eq, gt, inArray, isNull, lte, type SQL } from "drizzle-orm";
import { userPurchases } from "#db/tables/purchases.ts";
import type { Context } from "../context.ts";
import { acceptsTestPasses } from "./test-passes.ts";

/** The one definition of access: completed, not ended, and now within [startsAt, expiresAt). */
export function isActivePassAt(now: Date): SQL | undefined {
  return and(
    inArray(userPurchases.status, ["completed", "active"]),
    isNull(userPurchases.endedAt),
    lte(userPurchases.startsAt, now),
    gt(userPurchases.expiresAt, now),
  );
}

/** A pass that opens its tool in this shop now. */
export function isActivePass(ctx: Context): SQL | undefined {
  const counts = acceptsTestPasses(ctx) ? undefined : eq(userPurchases.testMode, false);
  return and(isActivePassAt(ctx.clock.now()), counts);
}
