import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import type { HealthReport } from "./health-check.ts";

/** The health of the shop, for the admin's page. */
export interface ShopHealth {
  /** null: the first run has not ended yet. */
  report: HealthReport | null;
  isRunning: boolean;
  /** The address of the admin's own request, as the shop sees it. */
  ownAddress: string | null;
}

/** The latest report; starts the checks when it is old. @throws DomainError 'unauthenticated', 'forbidden' */
export async function readHealth(ctx: Context): Promise<ShopHealth> {
  requireAdmin(ctx, "reads");
  return { ...ctx.ports.health.latest({ again: false }), ownAddress: ctx.browser?.ipAddress ?? null };
}

/** Starts the checks again. Changes nothing. @throws DomainError 'unauthenticated', 'forbidden' */
export async function checkHealthAgain(ctx: Context): Promise<void> {
  requireAdmin(ctx, "reads");
  ctx.ports.health.latest({ again: true });
}
