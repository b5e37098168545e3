import { uuidv7 } from "uuidv7";
import { z } from "zod";
import type { Executor, Transaction } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { couponCodes, tools } from "#db/tables/catalog.ts";
import { auditEvents, settings } from "#db/tables/operations.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";
import { changed } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin, requireSystem } from "../authorise.ts";
import { toOneLine } from "../catalog/limits.ts";
import {
  type CommandRun,
  claimRun,
  runCommand,
  selectLatestRun,
  updateCommandRun,
} from "../command-runs.server.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { DAY, HOUR } from "../time.ts";
import {
  IMPORT_UPLOAD_KEY,
  type ImportOutcome,
  type ImportStep,
  importSteps,
  MAX_UPLOAD_BYTES,
  REPORTS_KEPT_DAYS,
  type StoredUpload,
  storedUploadSchema,
  UPLOAD_KEPT_HOURS,
  type UploadedImport,
} from "./uploaded-import.ts";

const FAILED = "The import stopped because of an error. See the log of the shop for the reason.";

const uploadSchema = z.object({
  id: z.uuid(),
  fileName: z.string().transform((name) => toOneLine(name).slice(0, 200) || "export.zip"),
  bytes: z.int().min(0).max(MAX_UPLOAD_BYTES),
});

const startSchema = z.object({ id: z.uuid(), step: importSteps, removesDemo: z.literal("yes").optional() });

/**
 * Says whether an export may be uploaded now, before a long file is sent.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'import-running'
 */
export async function prepareImport(ctx: Context): Promise<void> {
  requireAdmin(ctx, "changes-access");
  const found = await selectUpload(ctx.db);
  if (found?.isRunning) throw new DomainError("import-running");
}

/**
 * Takes over an uploaded export in place of the latest one, and starts to check it. A file that is refused is deleted.
 *
 * @param upload the received file, which the server has named
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'import-running'
 */
export async function receiveImport(
  ctx: Context,
  upload: { id: string; fileName: string; bytes: number },
): Promise<void> {
  const { importFiles } = ctx.ports;
  try {
    requireAdmin(ctx, "changes-access");
    const file = parseInput(uploadSchema, upload);
    const uploadedAt = ctx.clock.now().toISOString();
    const before = await startRun(ctx, async (tx, latest) => {
      await recordAudit(ctx, tx, {
        action: "import.uploaded",
        subjectType: "import",
        details: { fileName: file.fileName, bytes: file.bytes },
      });
      return { upload: { ...file, uploadedAt, isChecked: false }, step: "dry-run", result: latest };
    });
    if (before !== null && before.id !== file.id) await importFiles.delete(before.id);
  } catch (error) {
    await importFiles.delete(upload.id);
    throw error;
  }
}

/**
 * Starts a step with the uploaded export: the import after a check, or again a step that failed or was interrupted.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'import-running', 'import-file-gone',
 *   'changed-meanwhile' for another file, or one that is not checked
 */
export async function startImport(ctx: Context, input: UntrustedInput): Promise<void> {
  requireAdmin(ctx, "changes-access");
  const { id, step, removesDemo } = parseInput(startSchema, input);
  const isThere = await ctx.ports.importFiles.has(id);
  await startRun(ctx, async (tx, latest) => {
    if (latest === null || latest.id !== id) throw new DomainError("changed-meanwhile");
    if (step === "import" && !latest.isChecked) throw new DomainError("changed-meanwhile");
    if (!isThere) throw new DomainError("import-file-gone");
    const { fileName, bytes, uploadedAt, isChecked } = latest;
    await recordAudit(ctx, tx, {
      action: "import.started",
      subjectType: "import",
      details: { fileName, dryRun: step === "dry-run", removesDemo: removesDemo !== undefined },
    });
    const flags = removesDemo === undefined ? [] : ["--remove-demo-tools"];
    return { upload: { id, fileName, bytes, uploadedAt, isChecked }, step, flags, result: null };
  });
}

interface Claim<Result> {
  upload: Pick<StoredUpload, "id" | "fileName" | "bytes" | "uploadedAt" | "isChecked">;
  step: ImportStep;
  /** For the command. */
  flags?: readonly string[];
  result: Result;
}

/**
 * Starts a command unless one runs, in any process.
 *
 * @param decide says what to run; it may refuse
 * @throws DomainError 'import-running'
 */
async function startRun<Result>(
  ctx: Context,
  decide: (tx: Transaction, latest: StoredUpload | null) => Promise<Claim<Result>>,
): Promise<Result> {
  const { claim, stored } = await claimRun(ctx, UPLOADED_IMPORT, async (tx, found) => {
    if (found?.isRunning) throw new DomainError("import-running");
    const decided = await decide(tx, found?.stored ?? null);
    const { upload, step } = decided;
    const next: StoredUpload = { ...upload, runId: uuidv7(), step, progress: null, outcome: null };
    return { next, result: { claim: decided, stored: next } };
  });
  // The request does not wait for the end: the admin may leave the page.
  void runImport({ ...ctx, actor: { kind: "system" } }, stored, claim.flags ?? []);
  return claim.result;
}

function runImport(ctx: Context, { id, runId, step }: StoredUpload, flags: readonly string[]): Promise<void> {
  const path = ctx.ports.importFiles.pathOf(id);
  const outcomeOf = (isKilled: boolean): ImportOutcome =>
    isKilled ? { kind: "interrupted" } : { kind: "failed", message: FAILED };
  return runCommand(ctx, runOf(runId), {
    name: "import",
    args: [path, `--upload=${runId}`, ...(step === "dry-run" ? ["--dry-run"] : []), ...flags],
    unrecordedEnd: (isKilled) => ({ outcome: outcomeOf(isKilled) }),
    onEnd: () =>
      changed(
        ctx.db,
        settings,
        tools,
        users,
        couponCodes,
        userPurchases,
        accessCodes,
        credentials,
        auditEvents,
      ),
  });
}

const runOf = (runId: string): CommandRun => ({ key: IMPORT_UPLOAD_KEY, runId });

/** For the command: records how far it is. @throws DomainError 'forbidden' unless the actor is the system */
export async function recordImportProgress(
  ctx: Context,
  runId: string,
  progress: NonNullable<StoredUpload["progress"]>,
): Promise<void> {
  requireSystem(ctx);
  await updateCommandRun(ctx, runOf(runId), { progress });
}

/** For the command: records how it ended. @throws DomainError 'forbidden' unless the actor is the system */
export async function recordImportOutcome(
  ctx: Context,
  run: { runId: string; step: ImportStep },
  outcome: ImportOutcome,
): Promise<void> {
  requireSystem(ctx);
  const isChecked = run.step === "dry-run" && outcome.kind === "done";
  await updateCommandRun(ctx, runOf(run.runId), { outcome, ...(isChecked && { isChecked }) });
}

/** The latest upload; null: there was none. @throws DomainError 'unauthenticated', 'forbidden' */
export async function readUploadedImport(ctx: Context): Promise<UploadedImport | null> {
  requireAdmin(ctx, "reads");
  const found = await selectUpload(ctx.db);
  if (found === null) return null;
  const { id, fileName, bytes, uploadedAt, step, isChecked, progress, outcome } = found.stored;
  return {
    id,
    fileName,
    bytes,
    uploadedAt,
    step,
    isChecked,
    progress,
    outcome: found.isRunning ? { kind: "running" } : (outcome ?? { kind: "interrupted" }),
    hasFile: await ctx.ports.importFiles.has(id),
  };
}

/**
 * The whole report of the latest step, as text; null: there is none on this server.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function openImportReport(
  ctx: Context,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>> | null> {
  requireAdmin(ctx, "reads");
  const found = await selectUpload(ctx.db);
  return found === null ? null : ctx.ports.importFiles.openReport(found.stored.id, found.stored.step);
}

/**
 * Deletes the uploaded files that nobody has imported within a day, and reports that are older than 90 days.
 *
 * @throws DomainError 'forbidden' unless the actor is the system
 */
export async function deleteOldUploads(ctx: Context): Promise<void> {
  requireSystem(ctx);
  const now = ctx.clock.now().getTime();
  await ctx.ports.importFiles.deleteOlderThan({
    uploads: new Date(now - UPLOAD_KEPT_HOURS * HOUR),
    reports: new Date(now - REPORTS_KEPT_DAYS * DAY),
  });
}

const UPLOADED_IMPORT = { key: IMPORT_UPLOAD_KEY, schema: storedUploadSchema };

const selectUpload = (executor: Executor) => selectLatestRun(executor, UPLOADED_IMPORT);
