import type pg from "pg";
import { connectToShop } from "../shop-database.ts";
import type { Crowd } from "./crowd.ts";
import { Customer } from "./customer.ts";
import type { Target } from "./kill.ts";
import { restock } from "./market.ts";
import type { KillPoint, Ready } from "./points.ts";
import type { Stage } from "./stage.ts";
import { letGo, reach } from "./stops.ts";

const CROWD = 6;

/** Milliseconds the shop was down, and what went wrong on its way back. */
export interface Kill {
  downMs: number;
  problem: string | null;
}

/**
 * Leads a checkout to the point while others buy, kills there and waits until the shop is back.
 *
 * @returns null when the point was not reached; then nothing was killed
 */
export async function runRound(
  stage: Stage,
  crowd: Crowd,
  { point, target }: { point: KillPoint; target: Target },
): Promise<Kill | null> {
  const client = await connectToShop(stage.dataDir);
  await restock(client, stage.shelves);
  const buyers = point.quiet ? 0 : CROWD;
  const shopping = crowd.shop(buyers);
  try {
    const ready = await makeReady(stage, point);
    await shopping.untilVisits(buyers);
    if (!ready) return null;
    return await killAt(stage, client, { ready, target, leave: shopping.leave });
  } finally {
    await shopping.leave();
    await client.end().catch(() => undefined);
  }
}

/** @returns null when something came in between: a shop that is just coming back refuses this or that */
async function makeReady({ shopUrl, gateway, road }: Stage, point: KillPoint): Promise<Ready | null> {
  try {
    const customer = await Customer.signUp(shopUrl, gateway);
    return await point.ready({ customer, gateway, road });
  } catch (error) {
    console.log(`${point.name}: not made ready: ${String(error)}`);
    return null;
  }
}

async function killAt(
  stage: Stage,
  client: pg.Client,
  { ready, target, leave }: { ready: Ready; target: Target; leave: () => Promise<void> },
): Promise<Kill | null> {
  const brakes = { client, gateway: stage.gateway };
  if (!(await reach(brakes, ready))) {
    await letGo(brakes, ready.stop);
    await ready.meanwhile?.();
    return null;
  }
  const killed = await stage.kill(target);
  const left = leave();
  await letGo(brakes, ready.stop);
  await ready.meanwhile?.();
  await client.end().catch(() => undefined);
  const { tookMs, problem } = await stage.bringBack(killed);
  await left;
  return { downMs: tookMs, problem };
}
