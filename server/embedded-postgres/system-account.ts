import { readFileSync, statSync } from "node:fs";
import { type Binaries, programOf } from "./binaries.ts";
import { type Account, runProgram } from "./run-program.ts";
import { StartupError } from "./startup-error.ts";

/** Postgres refuses to run as root. Any other user runs it under their own account. */
export function needsOtherAccount(): boolean {
  return process.getuid?.() === 0;
}

/** Returns user postgres where it exists, else user nobody. @throws StartupError when neither exists */
export function findServiceAccount(): Account {
  const accounts = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  for (const wanted of ["postgres", "nobody"]) {
    const [name, , uid, gid] = accounts.find(([entry]) => entry === wanted) ?? [];
    if (name !== undefined && uid !== undefined && gid !== undefined) {
      return { name, uid: Number(uid), gid: Number(gid) };
    }
  }
  throw new StartupError(
    "PostgreSQL does not run as root and this machine has neither a user postgres nor a user nobody: start as another user.",
  );
}

/** The owner of an existing cluster, who keeps running it. */
export function ownerOf(folder: string): Account {
  const { uid, gid } = statSync(folder);
  return { name: `number ${uid}`, uid, gid };
}

/** Tries it as that user, so that access lists and mounts count as well. */
export async function canReach(account: Account, folder: string): Promise<boolean> {
  const { code } = await runProgram("/bin/sh", ["-c", 'cd "$1" && test -x .', "sh", folder], account);
  return code === 0;
}

export async function canRun(account: Account, binaries: Binaries): Promise<boolean> {
  try {
    const { code } = await runProgram(programOf(binaries, "postgres"), ["--version"], account);
    // initdb also reads its templates from share, which a strict umask may have closed.
    const share = `${binaries.folder}/share/postgresql/postgres.bki`;
    const readable = await runProgram("/bin/sh", ["-c", 'test -r "$1"', "sh", share], account);
    return code === 0 && readable.code === 0;
  } catch {
    return false;
  }
}
