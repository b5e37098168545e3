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
  const names = read(() => readdirSync(folder)).filter((name) => BACKUP.test(name));
  if (names.length === 0) return [`There is no backup in ${folder}. Make one: npm run backup -- --nightly`];
  const verified = new Set(read(() => readFileSync(join(folder, "verified.txt"), "utf8").split("\n")));
  const stateOf = (name: string) => {
    if (name.endsWith(".unverified")) return "check failed";
    return verified.has(name) ? "verified" : "not verified";
  };
  const sorted = names.toSorted().toReversed();
  const lines = sorted.map((name) => {
    const { size, mtime } = statSync(join(folder, name));
    const kind = name.includes(".age") ? "encrypted" : "not encrypted";
    return `${ageOf(mtime, now).padEnd(14)} ${sizeOf(size).padStart(9)}  ${kind.padEnd(13)}  ${stateOf(name).padEnd(12)}  ${name}`;
  });
  const best = sorted.find((name) => verified.has(name));
  return [`Backups in ${folder}:`, ...lines, "", ...adviceOf(folder, best, isEncrypted)];
}

function adviceOf(folder: string, best: string | undefined, isEncrypted: boolean): string[] {
  if (best === undefined) return ["None of them was verified. Make one that is: npm run backup -- --nightly"];
  const keys = best.endsWith(".age")
    ? "It needs the BACKUP_PASSPHRASE that it was made with."
    : "The keys of the shop are not in it: also keep them.";
  return [
    `To restore the newest verified one into an empty DATA_DIR or database: npm run restore -- '${join(folder, best)}'`,
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
