import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants, setPriority } from "node:os";
import { createInterface } from "node:readline";
import type { Commands } from "#core/ports.ts";

/** Without these, Node keeps several times as much unused memory as it uses. The script of `npm run import` has the same. */
const LITTLE_MEMORY = ["--max-semi-space-size=4", "--heap-growing-percent=30"];
/** A command that was asked to stop gets this time to record what it has done. */
const STOP_WITHIN_MS = 5_000;

/** So that buyers do not wait for a backup. Set before the process has threads, because they inherit it. */
function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already.
  }
}

/**
 * Runs the commands of bin/daypass.mjs on the Node of this process. They have its environment, and a channel whose end tells them
 * that this process is gone.
 */
export function createCommands(): Commands & { stop(): Promise<void> } {
  const running = new Map<ReturnType<typeof spawn>, Promise<number>>();

  const wait = async (child: ReturnType<typeof spawn>, onLine: (line: string) => void): Promise<number> => {
    for (const input of [child.stdout, child.stderr])
      if (input) createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }).on("line", onLine);
    const [code, signal] = await once(child, "close");
    return code ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
  };
  return {
    async run(name, args, onLine) {
      const program = [...process.execArgv, ...LITTLE_MEMORY, "bin/daypass.mjs"];
      const child = spawn(process.execPath, [...program, name, "--as-built", ...args], {
        stdio: ["ignore", "pipe", "pipe", "ipc"],
      });
      lowerPriority(child.pid);
      const ended = wait(child, onLine);
      running.set(child, ended);
      try {
        return await ended;
      } finally {
        running.delete(child);
      }
    },
    async stop() {
      await Promise.all(
        [...running].map(async ([child, ended]) => {
          child.kill("SIGTERM");
          const kill = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
          await ended.catch(() => undefined);
          clearTimeout(kill);
        }),
      );
    },
  };
}
