import type pg from "pg";
import type { RemoteFakeGateway } from "../../tools/testing/fake-gateway/remote.ts";
import { GATE, type Ready, type Stop } from "./points.ts";
import { holdStatements, isWaiting, letStatementsGo } from "./statement-stops.ts";

/** Both ends at which the shop can be stopped. */
export interface Brakes {
  client: pg.Client;
  gateway: RemoteFakeGateway;
}

const REACHED_WITHIN_MS = 6_000;
/** What stands at a gate this long after it was first seen was not just passing. */
const STILL_THERE_MS = 15;

/**
 * Holds the shop at the point and leads the checkout there.
 *
 * @returns whether the shop stands at the point now
 */
export async function reach({ client, gateway }: Brakes, { stop, go }: Ready): Promise<boolean> {
  await hold({ client, gateway }, stop);
  const going = go();
  if (stop.at === "moment") {
    await going;
    return true;
  }
  going.catch(() => undefined);
  const until = performance.now() + REACHED_WITHIN_MS;
  while (performance.now() < until) {
    if (await stands({ client, gateway }, stop)) return true;
    await pause(10);
  }
  return false;
}

async function hold({ client, gateway }: Brakes, stop: Stop): Promise<void> {
  if (stop.at === "statement") await holdStatements(client, stop.name);
  if (stop.at !== "wire") return;
  const after = stop.until === "worked";
  await gateway.faults.add({ match: stop.request, what: "gate", gate: GATE, after });
}

async function stands({ client, gateway }: Brakes, stop: Exclude<Stop, { at: "moment" }>): Promise<boolean> {
  if (stop.at === "statement") return isWaiting(client, stop.name);
  const isOpen = () =>
    gateway.faults.waitFor(stop.request, { until: stop.until, timeoutMs: 1 }).then(
      () => true,
      () => false,
    );
  if (!(await isOpen())) return false;
  await pause(STILL_THERE_MS);
  return isOpen();
}

/** Whoever was stopped goes on, if there is still somebody: the gateway, or a database that nobody killed. */
export async function letGo({ client, gateway }: Brakes, stop: Stop): Promise<void> {
  await gateway.faults.clear();
  await gateway.faults.release(GATE);
  // The lock of a database that was killed is gone with it.
  if (stop.at === "statement") await letStatementsGo(client, stop.name).catch(() => undefined);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
