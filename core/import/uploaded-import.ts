import { z } from "zod";

/** A larger export is imported by the command. */
export const MAX_UPLOAD_BYTES = 200 * 1024 * 1024;

export const UPLOAD_TOO_LARGE =
  "The file is larger than 200 MB. Copy it to the server and run this there: npm run import -- FILE --dry-run";

/** The reports of imports, which name persons, are deleted after this time. */
export const REPORTS_KEPT_DAYS = 90;

/** The uploaded file of an import that was not run is deleted after this time. */
export const UPLOAD_KEPT_HOURS = 24;

/** A check (a dry run), or the import itself. */
export const importSteps = z.enum(["dry-run", "import"]);
export type ImportStep = z.output<typeof importSteps>;

/** How many lines of each list are shown. The report has all. */
export const SHOWN_LINES = 50;

const listSchema = z.object({ lines: z.array(z.string()), total: z.number() });

const resultSchema = z.object({
  /** How many documents of each collection were read, and what became of them. Amounts in paise. */
  collections: z.record(
    z.string(),
    z.object({
      read: z.number(),
      created: z.number(),
      merged: z.number(),
      repeated: z.number(),
      repaired: z.number(),
      refused: z.number(),
      known: z.number(),
      changed: z.number(),
      paiseBefore: z.number(),
      paiseAfter: z.number(),
    }),
  ),
  notices: z.array(z.string()),
  /** Tools of the demo that nobody bought and that stay in the shop. */
  demoTools: z.array(z.string()),
  /** The first lines of the report: what was refused or left as it is, what was repaired, and what documents became. */
  attention: listSchema,
  repaired: listSchema,
  became: listSchema,
});
export type ImportResult = z.output<typeof resultSchema>;

const outcomeSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("done"), result: resultSchema }),
  /** `message` is a sentence for the owner. */
  z.object({ kind: z.literal("failed"), message: z.string() }),
  /** Its process ended before it was done. */
  z.object({ kind: z.literal("interrupted") }),
]);
export type ImportOutcome = z.output<typeof outcomeSchema>;

/** The setting that describes the latest upload. Its `updated_at` moves while the command runs. */
export const IMPORT_UPLOAD_KEY = "import-upload";

export const storedUploadSchema = z.object({
  /** Of the file. */
  id: z.uuid(),
  fileName: z.string(),
  bytes: z.number(),
  uploadedAt: z.iso.datetime(),
  /** Of the command that runs or ran last: an older one that still runs records nothing. */
  runId: z.uuid(),
  step: importSteps,
  /** Whether a check was finished, so that the import may start. */
  isChecked: z.boolean(),
  progress: z.object({ collection: z.string(), read: z.number() }).nullable(),
  /** null: it has not ended, or its process was killed. */
  outcome: outcomeSchema.nullable(),
});
export type StoredUpload = z.output<typeof storedUploadSchema>;

/** The latest upload, for the admin's page. */
export interface UploadedImport
  extends Pick<StoredUpload, "id" | "fileName" | "bytes" | "uploadedAt" | "step" | "isChecked" | "progress"> {
  outcome: ImportOutcome | { kind: "running" };
  /** Whether the file is still on this server. */
  hasFile: boolean;
}

/** The uploaded exports of old shops, and the reports of their imports, in a folder of this machine. */
export interface ImportFiles {
  /** A path for a new file; its folder exists. */
  create(): { id: string; path: string };
  pathOf(id: string): string;
  has(id: string): Promise<boolean>;
  delete(id: string): Promise<void>;
  /** Deletes what is older: uploads and what a killed command has unpacked by one moment, reports by another. */
  deleteOlderThan(moments: { uploads: Date; reports: Date }): Promise<void>;
  /** The report of a step, as UTF-8 text; null: there is none here. */
  openReport(id: string, step: ImportStep): Promise<ReadableStream<Uint8Array<ArrayBuffer>> | null>;
}
