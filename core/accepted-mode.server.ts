import { eq, type SQL } from "drizzle-orm";
import { userPurchases } from "#db/tables/purchases.ts";
import type { Context } from "./context.ts";

const LOOPBACK = /^(?:localhost|.+\.localhost|127\.[\d.]+|\[::1\])$/;

/**
 * Whether the shop accepts test passes: with a gateway in test mode, and without a gateway only on a loopback origin. A
 * shop that takes real money, or a public shop without payments, does not.
 */
export function acceptsTestPasses(ctx: Context): boolean {
  const { gateway } = ctx.ports;
  return gateway ? gateway.testMode : LOOPBACK.test(new URL(ctx.store.origin).hostname);
}

/** Purchases that this shop accepts: those in test mode only while it accepts test passes. */
export function isInAcceptedMode(ctx: Context): SQL | undefined {
  return acceptsTestPasses(ctx) ? undefined : eq(userPurchases.testMode, false);
}
