import { setTimeout as delay } from "node:timers/promises";
import { onParentExit, runChild, STOP_SIGNALS } from "./node-runtime.mjs";

/** The message that the shop sends before it answers the first request. */
export const READY = "ready";

/** The exit code of a start whose database does not answer: the next one may succeed. server/main.ts has the same. */
const DATABASE_LOST_CODE = 75;

/** The exit code of a shop whose code was replaced: the next start runs the other code. server/main.ts has the same. */
const REPLACED_CODE = 76;

const TIMES = { firstPauseMs: 1_000, longestPauseMs: 60_000, stableMs: 5 * 60_000 };

/** @returns whether a crashed shop is restarted: true unless NO_RESTART is 1 */
export function mayRestart(value) {
  if (value === undefined || ["", "0", "false"].includes(value.trim())) return true;
  if (["1", "true"].includes(value.trim())) return false;
  throw new Error("NO_RESTART must be 1 or 0.");
}

/**
 * Runs the shop in a process of its own and restarts it after a crash. The pause before a restart doubles up to a minute, and
 * is short again after the shop has run for five minutes. A shop that was never ready is not restarted: the reason why it
 * cannot start must be corrected first. Only a start whose database does not answer is repeated.
 *
 * @returns the exit code
 */
export async function supervise(node, args, { firstPauseMs, longestPauseMs, stableMs } = TIMES) {
  const stop = new AbortController();
  for (const signal of STOP_SIGNALS) process.on(signal, () => stop.abort());
  onParentExit(() => stop.abort());
  let wasReady = false;
  let pauseMs = firstPauseMs;
  for (;;) {
    const began = performance.now();
    const ended = await runChild(node, args, (message) => {
      if (message === READY) wasReady = true;
    });
    if (ended.code === REPLACED_CODE && !stop.signal.aborted) continue;
    const mayTryAgain = wasReady || ended.code === DATABASE_LOST_CODE;
    if (stop.signal.aborted || !mayTryAgain || ended.code === 0) return ended.code;
    if (performance.now() - began >= stableMs) pauseMs = firstPauseMs;
    logRestart(ended, pauseMs);
    // An abort means that somebody asked to stop.
    await delay(pauseMs, undefined, { signal: stop.signal }).catch(() => undefined);
    if (stop.signal.aborted) return 0;
    pauseMs = Math.min(2 * pauseMs, longestPauseMs);
  }
}

/** Logs a restart in the format of the shop's log, at level error. */
function logRestart({ code, signal }, restartInMs) {
  const reason = signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`;
  const msg = "the shop's process ended unexpectedly and will be restarted";
  console.log(JSON.stringify({ level: 50, time: new Date().toISOString(), reason, restartInMs, msg }));
}
