import { spawn } from "node:child_process";

/** The system user that a database program runs as; undefined means our own user. */
export type Account = { readonly name: string; readonly uid: number; readonly gid: number };

// Our own environment is not passed on: PGDATA, PGPORT, LD_PRELOAD or a locale would change what the program does, and a
// secret in it could be read from /proc.
const ENVIRONMENT = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

/**
 * Runs a program to its end in a session of its own, so that a Ctrl-C in our terminal does not interrupt it.
 *
 * @returns the exit code and the output; the code is null when a signal ended the program
 */
export function runProgram(
  file: string,
  args: readonly string[],
  account: Account | undefined,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const identity = account === undefined ? {} : { uid: account.uid, gid: account.gid };
    const child = spawn(file, args, {
      ...identity,
      cwd: "/",
      env: ENVIRONMENT,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}
