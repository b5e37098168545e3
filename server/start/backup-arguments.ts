import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { ConfigurationError } from "../env.ts";
import { splitArguments } from "./command-arguments.ts";

/** What `npm run backup` or `npm run restore` is asked to do. */
export interface BackupArguments {
  /** The file to write or to read; absolute. */
  path: string;
  /** For a restore: the keys of the backup are lost. */
  withoutKeys: boolean;
  /**
   * Set for a backup that is also verified, copied and recorded, and deletes old ones. `runId`: the run of the shop that has
   * started the command and waits for its end; null: the owner has started it.
   */
  nightly?: { runId: string | null };
  /** Only prints which backups there are. */
  isList?: true;
}

type Task = "backup" | "restore";

export const BACKUP_HELP: Readonly<Record<Task, string>> = {
  backup: `Writes the whole shop into one file: every table as it is at one moment. The shop may be running.

  npm run backup [-- FILE]
  npm run backup -- --nightly
  npm run backup -- --list

  FILE       the file to write; it must not exist yet. Without it, a new file in BACKUP_FOLDER, which is the folder
             backups in DATA_DIR unless you set it
  --nightly  what the shop does every night: writes a new file, restores it into a scratch database to verify it,
             deletes old files in the folder (7 days and 4 weeks are kept), and copies the new one to BACKUP_S3_URL
  --list     the backups in BACKUP_FOLDER, whether they were verified, and how to restore the newest. It writes nothing

With BACKUP_PASSPHRASE the file is encrypted, and the keys of the shop are in it. Without it, keep the keys elsewhere:
the command names them.`,
  restore: `Restores a backup into a new shop: an empty DATA_DIR, or an empty database at DATABASE_URL. The shop must not run.

  npm run restore -- FILE [--without-keys]

  FILE             a file that npm run backup has written
  --without-keys   restores even if the keys of the shop are lost. Run npm run keys:give-up afterwards: it deletes the
                   access codes and shared passwords, which nobody can read without the keys

An encrypted backup needs its BACKUP_PASSPHRASE. When a restore fails or is interrupted, nothing is restored: run it again.`,
};

const FLAGS: Readonly<Record<Task, readonly string[]>> = {
  backup: ["--nightly", "--list"],
  restore: ["--without-keys"],
};

/** For a shop that starts the command: the id of the run. */
const RUN = "--run=";

/**
 * Reads the arguments before anything is started.
 *
 * @returns null when the help is asked for
 * @throws ConfigurationError
 */
export function readBackupArguments(
  task: Task,
  args: readonly string[],
  { folder, isEncrypted, now }: { folder: string; isEncrypted: boolean; now: Date },
): BackupArguments | null {
  const split = splitArguments(args, {
    flags: FLAGS[task],
    ...(task === "backup" && { run: RUN }),
    one: "file",
  });
  if (split === null) return null;
  const { path: file, flags, runId } = split;
  const isNightly = flags.has("--nightly");
  if (task === "backup") {
    if (flags.has("--list")) return { path: folder, withoutKeys: false, isList: true };
    if (file !== undefined && isNightly)
      throw new ConfigurationError(
        "--nightly chooses the file name itself: leave out the file. Nothing was changed.",
      );
    if (file !== undefined && existsSync(file))
      throw new ConfigurationError(`${resolve(file)} already exists. Name a new file.`);
    return {
      path: file === undefined ? join(folder, nameBackup(now, isEncrypted)) : resolve(file),
      withoutKeys: false,
      ...(isNightly && { nightly: { runId } }),
    };
  }
  if (file === undefined) throw new ConfigurationError(`Name the backup.\n\n${BACKUP_HELP.restore}`);
  if (!existsSync(file)) throw new ConfigurationError(`There is no file ${resolve(file)}.`);
  if (!statSync(file).isFile())
    throw new ConfigurationError(`${resolve(file)} is a folder. Name the file of the backup.`);
  return { path: resolve(file), withoutKeys: flags.has("--without-keys") };
}

/** core/backups/rules.ts reads this name. Sorted by name, the files are also sorted by time (UTC). */
export function nameBackup(now: Date, isEncrypted: boolean): string {
  const time = now.toISOString().slice(0, 19).replaceAll(":", "-");
  return `daypass-${time}Z.zip${isEncrypted ? ".age" : ""}`;
}
