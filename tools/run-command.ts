import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

/** The folder of the repository, ending with a separator. */
export const ROOT = fileURLToPath(new URL("../", import.meta.url));

export interface RunOptions {
  env?: Record<string, string>;
  /** After this long the command and everything it started are told to stop, then killed. */
  limitSeconds: number;
}

/**
 * Runs a command at the root of the repository with our own output, and resolves to its exit code (124 when it ran out
 * of time, 127 when it could not be started, 130 when we were told to stop).
 */
export function run(command: string, args: readonly string[], options: RunOptions): Promise<number> {
  const ownNodeFirst = [dirname(process.execPath), process.env.PATH].join(delimiter);
  // A process group of its own, so that grandchildren such as a database or a browser end with it.
  const child = spawn(command, args, {
    cwd: ROOT,
    detached: true,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, PATH: ownNodeFirst, ...options.env },
  });
  let verdict: number | undefined;
  let killing: NodeJS.Timeout | undefined;
  const stop = (code: number) => {
    verdict ??= code;
    signalGroup(child.pid, "SIGTERM");
    killing ??= setTimeout(() => signalGroup(child.pid, "SIGKILL"), 15_000);
  };
  const limit = setTimeout(() => stop(124), options.limitSeconds * 1000);
  const interrupted = () => stop(130);
  process.on("SIGINT", interrupted).on("SIGTERM", interrupted);
  return new Promise((resolve) => {
    const end = (code: number) => {
      clearTimeout(limit);
      clearTimeout(killing);
      process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
      if (verdict === 124) console.log(`Stopped after ${options.limitSeconds} seconds.`);
      resolve(verdict ?? code);
    };
    child.once("error", (error) => {
      console.log(`Could not start ${command}: ${error.message}`);
      end(127);
    });
    child.once("exit", (code) => end(code ?? 1));
  });
}

/** Runs a script or a package's command on the very Node that runs us. */
export function runNode(script: string, args: readonly string[], options: RunOptions): Promise<number> {
  return run(process.execPath, [script, ...args], options);
}

const BinField = z.object({ bin: z.record(z.string(), z.string()) });

/** The file behind a command of an installed package, so that it needs no shell, no npx and no PATH. */
export function packageCommand(name: string, command: string): string {
  const folder = join(ROOT, "node_modules", name);
  const { bin } = BinField.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
  const file = join(folder, bin[command] ?? "");
  if (!bin[command] || !existsSync(file)) throw new Error(`${name} has no command ${command}`);
  return file;
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
