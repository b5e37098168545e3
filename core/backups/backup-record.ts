import { z } from "zod";

/** The setting that describes the backups of the shop. Its `updated_at` moves while one is made. */
export const BACKUPS_KEY = "backups";

/** The steps of a backup, in order: it writes the file, restores it into a scratch database, copies it to the S3 store. */
export const backupSteps = z.enum(["writing", "checking", "copying"]);
export type BackupStep = z.output<typeof backupSteps>;

const fileSchema = z.object({
  /** When the backup was begun: it has everything that was committed before. */
  at: z.iso.datetime(),
  path: z.string(),
  bytes: z.number(),
  isEncrypted: z.boolean(),
});
export type BackupFileRecord = z.output<typeof fileSchema>;

const copySchema = z.discriminatedUnion("kind", [
  /** `to`: the host, bucket and name. */
  z.object({ kind: z.literal("copied"), at: z.iso.datetime(), to: z.string() }),
  z.object({ kind: z.literal("failed"), at: z.iso.datetime(), message: z.string() }),
]);

export const storedBackupsSchema = z.object({
  /** When the shop first recorded something about its backups. */
  since: z.iso.datetime(),
  /** The last attempt; null: there was none. */
  runId: z.uuid().nullable().default(null),
  startedAt: z.iso.datetime().nullable().default(null),
  step: backupSteps.default("writing"),
  /** null: it has not ended, or its process was killed. */
  outcome: z.enum(["done", "failed", "interrupted"]).nullable().default(null),
  /** The last backup that was restored into a scratch database without a difference. */
  verified: fileSchema.nullable().default(null),
  /** The last attempt that failed. `message` is a sentence for the owner. */
  failure: z.object({ at: z.iso.datetime(), message: z.string() }).nullable().default(null),
  /** The last copy to the S3 store. */
  copy: copySchema.nullable().default(null),
  /** When the owner was last told that there is no recent backup. */
  toldAt: z.iso.datetime().nullable().default(null),
});
export type StoredBackups = z.output<typeof storedBackupsSchema>;

/** The backups of the shop, for the admin's page. */
export interface BackupHealth
  extends Pick<StoredBackups, "startedAt" | "step" | "verified" | "failure" | "copy"> {
  readAt: Date;
  /** The state of the last attempt; null: there was none. */
  state: "running" | "done" | "failed" | "interrupted" | null;
  /** Whether there was no verified backup for 48 hours, although the shop makes one every night. */
  isOverdue: boolean;
  /** Whether the shop makes a backup every night. */
  isNightly: boolean;
  /** Whether the next backup is encrypted and has the keys. */
  isEncrypted: boolean;
  folder: string;
  /** Host, bucket and folder of the S3 store; null: none is set. */
  copiesTo: string | null;
}

/** The reasons of a failure that nothing more is known about, for the owner. */
export const BACKUP_STOPPED =
  "The backup stopped because of an error. See the log of the shop for the reason.";
export const BACKUP_INTERRUPTED = "The backup was interrupted before it finished.";

/** "19 kB", "1.5 MB". */
export function formatBytes(bytes: number): string {
  const megabytes = bytes / 1_000_000;
  return megabytes < 1 ? `${Math.ceil(bytes / 1000)} kB` : `${megabytes.toFixed(1)} MB`;
}
