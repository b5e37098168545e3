import { spawn } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

/** The folder of the repository, ending with a separator. */
export const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** Whether a script was started itself and not imported. @param url its `import.meta.url` */
export function isMain(url: string): boolean {
  const [, script] = process.argv;
  return script !== undefined && realpathSync(script) === fileURLToPath(url);
}

export interface RunOptions {
  env?: Record<string, string>;
  /** After this time the command and all its child processes get SIGTERM, and 15 seconds later SIGKILL. */
  limitSeconds: number;
}

/**
 * Runs a command at the root of the repository; it writes to our own output. Resolves to its exit code: 124 when the time
 * was over, 127 when it could not be started, 130 when this process got a signal to stop.
 */
export function run(command: string, args: readonly string[], options: RunOptions): Promise<number> {
  const ownNodeFirst = [dirname(process.execPath), process.env.PATH].join(delimiter);
  // In a process group of its own, so that the signal reaches grandchildren such as a database or a browser too.
  const child = spawn(command, args, {
    cwd: ROOT,
    detached: true,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, PATH: ownNodeFirst, ...options.env },
  });
  let stopCode: number | undefined;
  let killTimer: NodeJS.Timeout | undefined;
  const stop = (code: number) => {
    stopCode ??= code;
    signalGroup(child.pid, "SIGTERM");
    killTimer ??= setTimeout(() => signalGroup(child.pid, "SIGKILL"), 15_000);
  };
  const limit = setTimeout(() => stop(124), options.limitSeconds * 1000);
  const interrupted = () => stop(130);
  process.on("SIGINT", interrupted).on("SIGTERM", interrupted);
  return new Promise((resolve) => {
    const end = (code: number) => {
      clearTimeout(limit);
      clearTimeout(killTimer);
      process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
      if (stopCode === 124) console.log(`Stopped after ${options.limitSeconds} seconds.`);
      resolve(stopCode ?? code);
    };
    child.once("error", (error) => {
      console.log(`Could not start ${command}: ${error.message}`);
      end(127);
    });
    child.once("exit", (code) => end(code ?? 1));
  });
}

/** Runs a script, or a command of a package, with the Node that runs this process. */
export function runNode(script: string, args: readonly string[], options: RunOptions): Promise<number> {
  return run(process.execPath, [script, ...args], options);
}

const BinField = z.object({ bin: z.record(z.string(), z.string()) });

/** The file of a command of an installed package. It can be run without a shell, npx or PATH. */
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
