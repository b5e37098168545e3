import type pg from "pg";
import type { RemoteFakeGateway } from "#tests/fake-gateway/remote.ts";
import { type Breakpoint, GATE, type PreparedCheckout } from "./kill-points.ts";
import {
  clearStatementBreakpoint,
  isStatementPaused,
  setStatementBreakpoint,
} from "./statement-breakpoints.ts";

/** The connections that pause the shop: its database and the fake gateway. */
export interface FaultControls {
  client: pg.Client;
  gateway: RemoteFakeGateway;
}

const REACH_TIMEOUT_MS = 6_000;
/** A request that is still open after this time is held at the gate and not just passing. */
const CONFIRM_PAUSED_MS = 15;

/**
 * Sets the breakpoint and runs the checkout to it.
 *
 * @returns whether the shop is paused at the breakpoint
 */
export async function runToBreakpoint(
  { client, gateway }: FaultControls,
  { breakpoint, run }: PreparedCheckout,
): Promise<boolean> {
  await setBreakpoint({ client, gateway }, breakpoint);
  const running = run();
  if (breakpoint.at === "moment") {
    await running;
    return true;
  }
  running.catch(() => undefined);
  const until = performance.now() + REACH_TIMEOUT_MS;
  while (performance.now() < until) {
    if (await isPausedAt({ client, gateway }, breakpoint)) return true;
    await pause(10);
  }
  return false;
}

async function setBreakpoint({ client, gateway }: FaultControls, breakpoint: Breakpoint): Promise<void> {
  if (breakpoint.at === "statement") await setStatementBreakpoint(client, breakpoint.name);
  if (breakpoint.at !== "gateway-request") return;
  const after = breakpoint.until === "processed";
  await gateway.faults.add({ match: breakpoint.request, what: "gate", gate: GATE, after });
}

async function isPausedAt(
  { client, gateway }: FaultControls,
  breakpoint: Exclude<Breakpoint, { at: "moment" }>,
): Promise<boolean> {
  if (breakpoint.at === "statement") return isStatementPaused(client, breakpoint.name);
  const isOpen = () =>
    gateway.faults.waitFor(breakpoint.request, { until: breakpoint.until, timeoutMs: 1 }).then(
      () => true,
      () => false,
    );
  if (!(await isOpen())) return false;
  await pause(CONFIRM_PAUSED_MS);
  return isOpen();
}

/** Releases the gateway, and the database if it still runs. */
export async function releaseBreakpoint(
  { client, gateway }: FaultControls,
  breakpoint: Breakpoint,
): Promise<void> {
  await gateway.faults.clear();
  await gateway.faults.release(GATE);
  // A killed database has no lock any more.
  if (breakpoint.at === "statement")
    await clearStatementBreakpoint(client, breakpoint.name).catch(() => undefined);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
