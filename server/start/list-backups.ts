import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const BACKUP = /^daypass-\d{4}-\d\d-\d\dT[\d-]+Z\.zip(?:\.age)?(?:\.unverified)?$/;

/**
 * What `npm run backup -- --list` prints: the backups in the folder, the newest first, and what to do next. It needs no database,
 * because it is needed most when that is gone.
 */
export function listBackups(
  folder: string,
  { now, isEncrypted }: { now: Date; isEncrypted: boolean },
): string[] {
  const backups = findBackups(folder, now);
  if (backups.length === 0) return [`There is no backup in ${folder}. Make one: npm run backup -- --nightly`];
  const lines = backups.map(({ name, age, size, state }) => {
    const kind = name.includes(".age") ? "encrypted" : "not encrypted";
    return `${age.padEnd(14)} ${size.padStart(9)}  ${kind.padEnd(13)}  ${state.padEnd(12)}  ${name}`;
  });
  const best = backups.find(({ state }) => state === "verified");
  return [`Backups in ${folder}:`, ...lines, "", ...adviceOf(folder, best?.name, isEncrypted)];
}

/** What to do when the database is gone: the newest backup that has not failed its check, and the command that restores it. */
export function adviseRestore(folder: string, now: Date): { remedy: string; command?: string } {
  const newest = findBackups(folder, now).find(({ state }) => state !== "check failed");
  if (newest === undefined)
    return {
      remedy: `There is no backup in ${folder}. If you have a copy elsewhere: npm run restore -- FILE`,
    };
  const { name, age, state } = newest;
  return {
    remedy: `The newest backup is ${name} (${age}, ${state}). ${name.endsWith(".age") ? `${NEEDS_PASSPHRASE} ` : ""}To restore it:`,
    command: restoreCommand(folder, name),
  };
}

/** The newest first. */
function findBackups(folder: string, now: Date) {
  const verified = new Set(read(() => readFileSync(join(folder, "verified.txt"), "utf8").split("\n")));
  const stateOf = (name: string) => {
    if (name.endsWith(".unverified")) return "check failed";
    return verified.has(name) ? "verified" : "not verified";
  };
  const names = read(() => readdirSync(folder)).filter((name) => BACKUP.test(name));
  return names
    .toSorted()
    .toReversed()
    .map((name) => {
      const { size, mtime } = statSync(join(folder, name));
      return { name, age: ageOf(mtime, now), size: sizeOf(size), state: stateOf(name) };
    });
}

const NEEDS_PASSPHRASE = "It needs the BACKUP_PASSPHRASE that it was made with.";

const restoreCommand = (folder: string, name: string) => `npm run restore -- '${join(folder, name)}'`;

function adviceOf(folder: string, best: string | undefined, isEncrypted: boolean): string[] {
  if (best === undefined) return ["None of them was verified. Make one that is: npm run backup -- --nightly"];
  const keys = best.endsWith(".age")
    ? NEEDS_PASSPHRASE
    : "The keys of the shop are not in it: also keep them.";
  return [
    `To restore the newest verified one into an empty DATA_DIR or database: ${restoreCommand(folder, best)}`,
    keys,
    ...(isEncrypted && !best.endsWith(".age") ? ["The next backup is encrypted and contains the keys."] : []),
  ];
}

function read<Value>(work: () => Value[]): Value[] {
  try {
    return work();
  } catch {
    return [];
  }
}

function ageOf(then: Date, now: Date): string {
  const minutes = Math.max(0, Math.floor((now.getTime() - then.getTime()) / 60_000));
  const hours = Math.floor(minutes / 60);
  const [count, unit] =
    hours < 1 ? [minutes, "minute"] : hours < 48 ? [hours, "hour"] : [Math.floor(hours / 24), "day"];
  return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}

const sizeOf = (bytes: number) =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
