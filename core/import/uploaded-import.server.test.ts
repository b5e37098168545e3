import { existsSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { createImportFiles } from "#adapters/document-export/import-files.ts";
import { auditEvents, settings } from "#db/tables/operations.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop, withOldPassword } from "#tests/fixtures/open-test-shop.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import type { Context } from "../context.ts";
import type { Commands } from "../ports.ts";
import { DAY, HOUR } from "../time.ts";
import {
  deleteOldUploads,
  openImportReport,
  prepareImport,
  readUploadedImport,
  receiveImport,
  recordImportOutcome,
  recordImportProgress,
  startImport,
} from "./uploaded-import.server.ts";
import { IMPORT_UPLOAD_KEY, type ImportResult } from "./uploaded-import.ts";

const dataDir = mkdtempSync(join(tmpdir(), "uploaded-import-"));
const importFiles = createImportFiles(dataDir);

interface Run {
  args: readonly string[];
  runId: string;
  end(code: number): void;
}
/** The commands that were started. Each runs until the test ends it. */
const runs: Run[] = [];
const commands: Commands = {
  run: (_name, args) =>
    new Promise((resolve) => {
      const runId = args.find((arg) => arg.startsWith("--upload="))?.slice("--upload=".length) ?? "";
      runs.push({ args, runId, end: resolve });
    }),
};
const clock = createManualClock();
const shop = openTestShop(await freshDatabase(), { clock, ports: { commands, importFiles } });
const admin = await shop.user("admin");
afterAll(async () => {
  await shop.close();
  rmSync(dataDir, { recursive: true, force: true });
});
beforeEach(async () => {
  runs.length = 0;
  await shop.db.execute(sql`truncate settings, audit_events`);
});

const RESULT: ImportResult = {
  collections: {},
  notices: [],
  demoTools: [],
  attention: { lines: ["tools/a refused: no price"], total: 1 },
  repaired: { lines: [], total: 0 },
  became: { lines: [], total: 0 },
};

/** A file as the HTTP server leaves it. */
function makeUpload() {
  const { id, path } = importFiles.create();
  writeFileSync(path, "zip");
  return { id, path, file: { id, fileName: "export.zip", bytes: 3 } };
}

/** Waits until the commands are started that the operations have asked for. */
const startedRun = (at: number) =>
  vi.waitFor(() => {
    const run = runs[at];
    if (run === undefined) throw new Error("no command was started");
    return run;
  });

async function upload() {
  const made = makeUpload();
  await receiveImport(admin, made.file);
  return { ...made, run: await startedRun(runs.length - 1) };
}

/** The command records its end, and its process ends. */
async function finish({ runId, end }: Run, step: "dry-run" | "import"): Promise<void> {
  await recordImportOutcome(shop.system(), { runId, step }, { kind: "done", result: RESULT });
  end(0);
}

const outcome = async () => (await readUploadedImport(admin))?.outcome.kind ?? null;
const becomes = (kind: string) => vi.waitFor(async () => expect(await outcome()).toBe(kind));
const audited = async () =>
  (await shop.db.select().from(auditEvents).orderBy(auditEvents.id)).map(({ action, details }) => ({
    action,
    details,
  }));

const OPERATIONS: readonly [name: string, run: (ctx: Context, id: string) => Promise<unknown>][] = [
  ["prepares an upload", (ctx) => prepareImport(ctx)],
  ["uploads an export", (ctx, id) => receiveImport(ctx, { id, fileName: "a.zip", bytes: 3 })],
  ["starts an import", (ctx, id) => startImport(ctx, { id, step: "import" })],
];

test.each(OPERATIONS)("nobody but an admin with a recent password %s", async (_name, run) => {
  const actors: readonly [ctx: Context, code: string][] = [
    [shop.visitor(), "unauthenticated"],
    [await shop.user(), "forbidden"],
    [withOldPassword(admin), "password-needed"],
  ];
  for (const [ctx, code] of actors) {
    const { id } = makeUpload();
    await expect(run(ctx, id)).rejects.toMatchObject({ code });
  }
  expect(await shop.db.$count(settings)).toBe(0);
  expect(await audited()).toEqual([]);
  expect(runs).toEqual([]);
});

test("a file that somebody else uploads is deleted", async () => {
  const { path, file } = makeUpload();
  await expect(receiveImport(await shop.user(), file)).rejects.toMatchObject({ code: "forbidden" });
  expect(existsSync(path)).toBe(false);
});

test("only an admin reads the state and the report, and only the system records", async () => {
  const user = await shop.user();
  for (const read of [readUploadedImport, openImportReport]) {
    await expect(read(shop.visitor())).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(read(user)).rejects.toMatchObject({ code: "forbidden" });
  }
  const record = recordImportProgress(admin, "x", { collection: "tools", read: 1 });
  await expect(record).rejects.toMatchObject({ code: "forbidden" });
  const end = recordImportOutcome(admin, { runId: "x", step: "import" }, { kind: "interrupted" });
  await expect(end).rejects.toMatchObject({ code: "forbidden" });
  await expect(deleteOldUploads(admin)).rejects.toMatchObject({ code: "forbidden" });
});

test("an upload is checked at once, then imported, and everything is audited", async () => {
  const { id, path, run } = await upload();
  expect(run.args).toEqual([path, `--upload=${run.runId}`, "--dry-run"]);
  expect(await readUploadedImport(admin)).toMatchObject({
    id,
    fileName: "export.zip",
    step: "dry-run",
    outcome: { kind: "running" },
    isChecked: false,
    hasFile: true,
  });
  await recordImportProgress(shop.system(), run.runId, { collection: "users", read: 2000 });
  expect(await readUploadedImport(admin)).toMatchObject({ progress: { collection: "users", read: 2000 } });
  await finish(run, "dry-run");
  expect(await readUploadedImport(admin)).toMatchObject({
    isChecked: true,
    outcome: { kind: "done", result: RESULT },
  });

  await startImport(admin, { id, step: "import", removesDemo: "yes" });
  const importing = await startedRun(1);
  expect(importing.args).toEqual([path, `--upload=${importing.runId}`, "--remove-demo-tools"]);
  await finish(importing, "import");
  expect(await readUploadedImport(admin)).toMatchObject({ step: "import", outcome: { kind: "done" } });
  expect(await audited()).toEqual([
    { action: "import.uploaded", details: { fileName: "export.zip", bytes: 3 } },
    { action: "import.started", details: { fileName: "export.zip", dryRun: false, removesDemo: true } },
  ]);
});

test("only one of parallel uploads is checked, and the files of the others are deleted", async () => {
  const made = Array.from({ length: 8 }, makeUpload);
  const results = await Promise.allSettled(made.map(({ file }) => receiveImport(admin, file)));
  const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason.code] : []));
  expect(refused).toEqual(Array(7).fill("import-running"));
  expect(made.filter(({ path }) => existsSync(path))).toHaveLength(1);
  expect(runs).toHaveLength(1);
  await expect(prepareImport(admin)).rejects.toMatchObject({ code: "import-running" });
});

test("only one of parallel starts runs", async () => {
  const { id, run } = await upload();
  await finish(run, "dry-run");
  const starts = Array.from({ length: 8 }, () => startImport(admin, { id, step: "import" }));
  const results = await Promise.allSettled(starts);
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(runs).toHaveLength(2);
  expect((await audited()).filter(({ action }) => action === "import.started")).toHaveLength(1);
});

test("an import without a finished check, of another file, or without its file is refused", async () => {
  const { id, path, run } = await upload();
  run.end(1);
  await becomes("failed");
  await expect(startImport(admin, { id, step: "import" })).rejects.toMatchObject({
    code: "changed-meanwhile",
  });
  const other = { id: importFiles.create().id, step: "dry-run" };
  await expect(startImport(admin, other)).rejects.toMatchObject({ code: "changed-meanwhile" });
  rmSync(path);
  await expect(startImport(admin, { id, step: "dry-run" })).rejects.toMatchObject({
    code: "import-file-gone",
  });
  await expect(startImport(admin, { id, step: "all" })).rejects.toMatchObject({ code: "invalid-input" });
  expect(runs).toHaveLength(1);
});

test("a command whose process is gone is interrupted, and its step runs again", async () => {
  const { id, run } = await upload();
  await finish(run, "dry-run");
  await startImport(admin, { id, step: "import" });
  const lost = await startedRun(1);
  // As after a crash: nobody has said for a while that it runs.
  await shop.db
    .update(settings)
    .set({ updatedAt: sql`now() - interval '21 seconds'` })
    .where(eq(settings.key, IMPORT_UPLOAD_KEY));
  expect(await outcome()).toBe("interrupted");
  await startImport(admin, { id, step: "import" });
  const again = await startedRun(2);
  expect(await outcome()).toBe("running");
  // One that still runs after all records nothing.
  await finish(lost, "import");
  expect(await outcome()).toBe("running");
  await finish(again, "import");
  expect(await outcome()).toBe("done");
});

test.each([
  [1, { kind: "failed", message: expect.stringContaining("See the log of the shop for the reason") }],
  [137, { kind: "interrupted" }],
] as const)("a command that ends with %i without a word has %o", async (code, expected) => {
  const { run } = await upload();
  run.end(code);
  await vi.waitFor(async () => expect((await readUploadedImport(admin))?.outcome).toEqual(expected));
});

test("what a command has said about its failure stays", async () => {
  const { run } = await upload();
  const failed = { kind: "failed", message: "The zip is broken." } as const;
  await recordImportOutcome(shop.system(), { runId: run.runId, step: "dry-run" }, failed);
  run.end(1);
  await expect(prepareImport(admin)).resolves.toBeUndefined();
  expect((await readUploadedImport(admin))?.outcome).toEqual(failed);
});

test("another upload takes the place of the one before, whose file is deleted", async () => {
  const first = await upload();
  await finish(first.run, "dry-run");
  const second = await upload();
  expect([existsSync(first.path), existsSync(second.path)]).toEqual([false, true]);
  expect(await readUploadedImport(admin)).toMatchObject({ id: second.id, isChecked: false });
});

test("an uploaded file is deleted after a day, and its state says so", async () => {
  const { path, run } = await upload();
  await finish(run, "dry-run");
  const at = (hours: number) => new Date(clock.now().getTime() - hours * HOUR);
  utimesSync(path, at(23), at(23));
  await deleteOldUploads(shop.system());
  expect(await readUploadedImport(admin)).toMatchObject({ hasFile: true });
  utimesSync(path, at(25), at(25));
  await deleteOldUploads(shop.system());
  expect(existsSync(path)).toBe(false);
  expect(await readUploadedImport(admin)).toMatchObject({ hasFile: false });
});

test("reports of 90 days ago are deleted, those of the command too", async () => {
  const { path } = await upload();
  const command = join(dirname(path), "import-2026-11-25T20-11-58.txt");
  const reports = [path.replace(/\.zip$/, "-dry-run.txt"), command];
  const setAge = (days: number) => {
    const at = new Date(clock.now().getTime() - days * DAY);
    for (const report of reports) utimesSync(report, at, at);
  };
  for (const report of reports) writeFileSync(report, "report");
  setAge(89);
  await deleteOldUploads(shop.system());
  expect(reports.map((report) => existsSync(report))).toEqual([true, true]);
  setAge(91);
  await deleteOldUploads(shop.system());
  expect(reports.map((report) => existsSync(report))).toEqual([false, false]);
});

test("the report of the latest step is read from its file, and only its owner may open the folder", async () => {
  const { path, run } = await upload();
  expect(await openImportReport(admin)).toBeNull();
  writeFileSync(path.replace(/\.zip$/, "-dry-run.txt"), "tools/a becomes the tool Canva\n");
  await finish(run, "dry-run");
  expect(await new Response(await openImportReport(admin)).text()).toBe("tools/a becomes the tool Canva\n");
  expect(statSync(join(dataDir, "imports")).mode & 0o777).toBe(0o700);
});
