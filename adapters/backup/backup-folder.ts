import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { findOldBackups, UNVERIFIED } from "#core/backups/rules.ts";
import { MINUTE } from "#core/time.ts";

/** What a backup or a restore leaves when it is killed: a file that is being written, or that is being decrypted. */
const DRAFT = /^(?:daypass|before-upgrade)-.+\.\d+\.part$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;
/** A draft that a process still writes changes more often than this. */
const DRAFT_KEPT_MS = 10 * MINUTE;

/**
 * Deletes the old backups of a folder.
 *
 * @param options.verified path of the last verified backup
 * @returns the names of the deleted files
 */
export async function deleteOldBackups(
  folder: string,
  { timeZone, verified }: { timeZone: string; verified: string | null },
): Promise<string[]> {
  const old = findOldBackups(await readdir(folder), {
    timeZone,
    verified: verified === null ? null : basename(verified),
  });
  for (const name of old) await rm(join(folder, name), { force: true });
  return old;
}

/** Deletes the drafts of commands that were killed. Nothing when there is no such folder. */
export async function deleteDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!DRAFT.test(name)) continue;
    const info = await stat(join(folder, name)).catch(() => null);
    if (info !== null && info.mtimeMs < Date.now() - DRAFT_KEPT_MS)
      await rm(join(folder, name), { force: true });
  }
}

/** Renames a backup whose check failed, so that it does not count. @returns its new path */
export async function markUnverified(path: string): Promise<string> {
  await rename(path, path + UNVERIFIED);
  return path + UNVERIFIED;
}

/** server/start/list-backups.ts reads this file, also of a shop whose database is gone. */
const VERIFIED_LIST = "verified.txt";

/** Adds a backup to the list of those that were verified, in its folder. */
export async function markVerified(path: string): Promise<void> {
  const folder = dirname(path);
  const list = join(folder, VERIFIED_LIST);
  const before = (await readFile(list, "utf8").catch(() => "")).split("\n");
  const there = new Set(await readdir(folder));
  const names = [...before.filter((name) => there.has(name)), basename(path)];
  await writeFile(list, `${names.join("\n")}\n`, { mode: 0o600 });
}
