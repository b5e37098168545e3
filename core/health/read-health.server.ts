import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import type { LatestHealth } from "./health-check.ts";

/** The health of the shop, for the admin's page. */
export interface ShopHealth extends LatestHealth {
  /** The client address of the admin's own request; null: it is not known. */
  ownAddress: string | null;
}

/**
 * The latest report. Starts the checks when it is old, and does not wait for them. @throws DomainError 'unauthenticated',
 * 'forbidden'
 */
export async function readHealth(ctx: Context): Promise<ShopHealth> {
  requireAdmin(ctx, "reads");
  return { ...ctx.ports.health.latest({ again: false }), ownAddress: ctx.browser?.ipAddress ?? null };
}

/** Starts the checks, and does not wait for them. @throws DomainError 'unauthenticated', 'forbidden' */
export async function checkHealthAgain(ctx: Context): Promise<void> {
  requireAdmin(ctx, "reads");
  ctx.ports.health.latest({ again: true });
}
