import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { ConfigurationError } from "../env.ts";

/** What `npm run backup` or `npm run restore` is asked to do. */
export interface BackupArguments {
  /** The file to write or to read; absolute. */
  path: string;
  /** Of a restore: the keys of the backup are lost. */
  withoutKeys: boolean;
}

type Task = "backup" | "restore";

export const BACKUP_HELP: Readonly<Record<Task, string>> = {
  backup: `Writes the whole shop into one file: every table as it is at one moment. The shop may be running.

  npm run backup [-- FILE]

  FILE    where to write; there must be no such file yet. Without it a new file in the folder backups of DATA_DIR

With BACKUP_PASSPHRASE the file is encrypted, and the keys of the shop are in it. Without it, keep the keys elsewhere:
the command names them.`,
  restore: `Restores a backup into a new shop: an empty DATA_DIR, or an empty database at DATABASE_URL. The shop must not run.

  npm run restore -- FILE [--without-keys]

  FILE             a file of npm run backup
  --without-keys   restores although the keys of the shop are lost. Run npm run keys:give-up afterwards: it deletes the
                   access codes and shared passwords, which nobody can read any more

An encrypted backup needs its BACKUP_PASSPHRASE. When a restore fails or is interrupted, nothing is restored: run it again.`,
};

const FLAGS: Readonly<Record<Task, readonly string[]>> = { backup: [], restore: ["--without-keys"] };

/**
 * Reads the arguments before anything is started.
 *
 * @returns null when the help is asked for
 * @throws ConfigurationError
 */
export function readBackupArguments(
  task: Task,
  args: readonly string[],
  { dataDir, isEncrypted, now }: { dataDir: string; isEncrypted: boolean; now: Date },
): BackupArguments | null {
  if (args.includes("--help") || args.includes("-h")) return null;
  const unknown = args.find((arg) => arg.startsWith("-") && !FLAGS[task].includes(arg));
  if (unknown !== undefined)
    throw new ConfigurationError(`The argument ${unknown} is unknown, and nothing was changed.`);
  const [file, second] = args.filter((arg) => !arg.startsWith("-"));
  if (second !== undefined)
    throw new ConfigurationError(`Name one file, not also ${second}. Nothing was changed.`);
  if (task === "backup") {
    if (file !== undefined && existsSync(file))
      throw new ConfigurationError(`${resolve(file)} exists already. Name a new file.`);
    return {
      path: file === undefined ? join(dataDir, "backups", nameBackup(now, isEncrypted)) : resolve(file),
      withoutKeys: false,
    };
  }
  if (file === undefined) throw new ConfigurationError(`Name the backup.\n\n${BACKUP_HELP.restore}`);
  if (!existsSync(file)) throw new ConfigurationError(`There is no file ${resolve(file)}.`);
  if (!statSync(file).isFile())
    throw new ConfigurationError(`${resolve(file)} is a folder. Name the file of the backup.`);
  return { path: resolve(file), withoutKeys: args.includes("--without-keys") };
}

/** In the order of their names the files are in that of their time (UTC). */
function nameBackup(now: Date, isEncrypted: boolean): string {
  const time = now.toISOString().slice(0, 19).replaceAll(":", "-");
  return `daypass-${time}Z.zip${isEncrypted ? ".age" : ""}`;
}
