import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { ROOT } from "./shop-process.ts";

/** The flags of the scripts in package.json. */
const FLAGS = ["--max-semi-space-size=4", "--heap-growing-percent=30"];

export interface CommandRun {
  seconds: number;
  /** The most memory that the process had (MB). */
  peakMb: number;
  /** null: it was killed. */
  code: number | null;
  output: string;
}

/**
 * Runs a command of the owner to its end, or kills it.
 *
 * @throws Error with its output when a command that was not to be killed fails
 */
export async function runOwnerCommand(
  task: "backup" | "restore" | "import",
  args: readonly string[],
  { env, killAfterMs }: { env: Record<string, string>; killAfterMs?: number },
): Promise<CommandRun> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...FLAGS, "bin/daypass.mjs", task, ...args], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  const ended = once(child, "exit");
  let peakMb = 0;
  const watch = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
      peakMb = Math.max(peakMb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    } catch {
      // It has ended.
    }
  }, 100);
  if (killAfterMs !== undefined) {
    await Promise.race([ended, delay(killAfterMs)]);
    child.kill("SIGKILL");
  }
  const [code] = await ended;
  clearInterval(watch);
  if (killAfterMs === undefined && code !== 0) throw new Error(`the ${task} failed:\n${output}`);
  return { seconds: (performance.now() - startedAt) / 1000, peakMb: Math.round(peakMb), code, output };
}
