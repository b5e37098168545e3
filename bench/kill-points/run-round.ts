import type pg from "pg";
import { connectToShop } from "../support/shop-database.ts";
import { releaseBreakpoint, runToBreakpoint } from "./breakpoints.ts";
import { restock } from "./catalogue.ts";
import { Customer } from "./customer.ts";
import type { Environment } from "./environment.ts";
import type { Target } from "./kill.ts";
import type { KillPoint, PreparedCheckout } from "./kill-points.ts";
import type { Load } from "./load.ts";

const LOAD_BUYERS = 6;

/** How long the shop was down, and the problem of its restart if there was one. */
export interface KillResult {
  downMs: number;
  problem: string | null;
}

/**
 * Runs a checkout to the kill point while other customers buy, kills there and waits until the shop runs again.
 *
 * @returns null when the point was not reached; then nothing was killed
 */
export async function runRound(
  environment: Environment,
  load: Load,
  { point, target }: { point: KillPoint; target: Target },
): Promise<KillResult | null> {
  const client = await connectToShop(environment.dataDir);
  await restock(client, environment.stockTotals);
  const buyers = point.withoutLoad ? 0 : LOAD_BUYERS;
  const running = load.start(buyers);
  try {
    const prepared = await prepareCheckout(environment, point);
    await running.untilCompleted(buyers);
    if (!prepared) return null;
    return await killAtBreakpoint(environment, client, { prepared, target, stop: running.stop });
  } finally {
    await running.stop();
    await client.end().catch(() => undefined);
  }
}

/** @returns null when the shop refused a step, as it may shortly after a restart */
async function prepareCheckout(
  { shopUrl, gateway, webhookProxy }: Environment,
  point: KillPoint,
): Promise<PreparedCheckout | null> {
  try {
    const customer = await Customer.signUp(shopUrl, gateway);
    return await point.prepare({ customer, gateway, webhookProxy });
  } catch (error) {
    console.log(`${point.name}: not prepared: ${String(error)}`);
    return null;
  }
}

async function killAtBreakpoint(
  environment: Environment,
  client: pg.Client,
  { prepared, target, stop }: { prepared: PreparedCheckout; target: Target; stop: () => Promise<void> },
): Promise<KillResult | null> {
  const controls = { client, gateway: environment.gateway };
  if (!(await runToBreakpoint(controls, prepared))) {
    await releaseBreakpoint(controls, prepared.breakpoint);
    await prepared.whileDown?.();
    return null;
  }
  const killed = await environment.kill(target);
  const stopping = stop();
  await releaseBreakpoint(controls, prepared.breakpoint);
  await prepared.whileDown?.();
  await client.end().catch(() => undefined);
  const { tookMs, problem } = await environment.restart(killed);
  await stopping;
  return { downMs: tookMs, problem };
}
