import { eq, sql } from "drizzle-orm";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { auditEvents, mailMessages, settings } from "#db/tables/operations.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop, withOldPassword } from "#tests/fixtures/open-test-shop.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import type { Context } from "../context.ts";
import type { Commands } from "../ports.ts";
import { readOperatingStatistics } from "../reports/read-operating-statistics.server.ts";
import { tellOfOldBackup } from "../reports/tell-of-old-backup.server.ts";
import { HOUR, MINUTE } from "../time.ts";
import { BACKUPS_KEY, type BackupFileRecord } from "./backup-record.ts";
import {
  backUpWhenDue,
  readBackupHealth,
  recordBackup,
  runOwnBackup,
  selectBackups,
  startBackup,
} from "./backups.server.ts";

interface Run {
  name: string;
  args: readonly string[];
  runId: string;
  end(code: number): void;
}
/** The commands that were started. Each runs until the test ends it. */
const runs: Run[] = [];
const commands: Commands = {
  run: (name, args) =>
    new Promise((resolve) => {
      const runId = args.find((arg) => arg.startsWith("--run="))?.slice("--run=".length) ?? "";
      runs.push({ name, args, runId, end: resolve });
    }),
};
const clock = createManualClock();
const shop = openTestShop(await freshDatabase(), { clock, ports: { commands } });
const admin = await shop.user("admin");
const nightly = (ctx: Context): Context => ({
  ...ctx,
  store: { ...ctx.store, backups: { ...ctx.store.backups, isNightly: true } },
});
/** What the jobs do, in each minute. */
const runJob = () =>
  Promise.all([backUpWhenDue(nightly(shop.system())), tellOfOldBackup(nightly(shop.system()))]);
afterAll(() => shop.close());
beforeEach(async () => {
  runs.length = 0;
  await shop.db.execute(sql`truncate settings, audit_events, pass_reminders, mail_messages`);
});

const lastRun = () => {
  const run = runs.at(-1);
  if (run === undefined) throw new Error("no command was started");
  return run;
};
const fileAt = (at: Date): BackupFileRecord => ({
  at: at.toISOString(),
  path: "/srv/daypass/data/backups/daypass-2026-11-24T22-00-00Z.zip",
  bytes: 1_234_567,
  isEncrypted: true,
});
/** The command records a verified backup and its end, and its process ends. */
async function succeed({ runId, end }: Run): Promise<void> {
  const file = fileAt(clock.now());
  await recordBackup(shop.system(), runId, { verified: file, outcome: "done" });
  end(0);
}
const health = () => readBackupHealth(nightly(admin));
const becomes = (state: string) => vi.waitFor(async () => expect((await health()).state).toBe(state));
const audited = () =>
  shop.db.select({ action: auditEvents.action, actorId: auditEvents.actorId }).from(auditEvents);
/** As after a crash: nobody has said for a while that the command runs. */
const loseRun = () =>
  shop.db
    .update(settings)
    .set({ updatedAt: sql`now() - interval '21 seconds'` })
    .where(eq(settings.key, BACKUPS_KEY));

test("nobody but an admin with a recent password starts a backup", async () => {
  const actors: readonly [ctx: Context, code: string][] = [
    [shop.visitor(), "unauthenticated"],
    [await shop.user(), "forbidden"],
    [shop.system(), "unauthenticated"],
    [withOldPassword(admin), "password-needed"],
  ];
  for (const [ctx, code] of actors) await expect(startBackup(ctx)).rejects.toMatchObject({ code });
  expect(await shop.db.$count(settings)).toBe(0);
  expect(await audited()).toEqual([]);
  expect(runs).toEqual([]);
});

test("only an admin reads the state of the backups, and only the system makes and records them", async () => {
  const user = await shop.user();
  await expect(readBackupHealth(shop.visitor())).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(readBackupHealth(user)).rejects.toMatchObject({ code: "forbidden" });
  for (const ctx of [shop.visitor(), user, admin]) {
    const refused = { code: "forbidden" };
    await expect(backUpWhenDue(nightly(ctx))).rejects.toMatchObject(refused);
    await expect(tellOfOldBackup(nightly(ctx))).rejects.toMatchObject(refused);
    await expect(recordBackup(ctx, "x", { outcome: "done" })).rejects.toMatchObject(refused);
    await expect(runOwnBackup(ctx, async () => undefined)).rejects.toMatchObject(refused);
  }
  expect(await shop.db.$count(settings)).toBe(0);
});

test("an admin starts a backup, sees how far it is, and then the verified backup", async () => {
  expect(await health()).toMatchObject({ state: null, verified: null });
  await startBackup(admin);
  const run = lastRun();
  expect(run).toMatchObject({ name: "backup", args: ["--nightly", `--run=${run.runId}`] });
  expect(await health()).toMatchObject({ state: "running", step: "writing" });
  await recordBackup(shop.system(), run.runId, { step: "checking" });
  expect(await health()).toMatchObject({ state: "running", step: "checking", verified: null });
  await succeed(run);
  await becomes("done");
  expect((await health()).verified).toEqual(fileAt(clock.now()));
  expect(await audited()).toEqual([{ action: "backup.started", actorId: admin.actor.userId }]);
  const { backupVerifiedSeconds } = await readOperatingStatistics(shop.system());
  expect(backupVerifiedSeconds).toBe(clock.now().getTime() / 1000);
});

test("only one of parallel starts of a backup runs: by the button, at night and by hand", async () => {
  await runJob();
  clock.advance(27 * HOUR);
  const ownRuns: string[] = [];
  const own = () => runOwnBackup(shop.system(), async (runId) => void ownRuns.push(runId));
  const starts = Array.from({ length: 12 }, (_, at) => [() => startBackup(admin), runJob, own][at % 3]?.());
  const results = await Promise.allSettled(starts);
  const refusals = results.flatMap((result) => (result.status === "rejected" ? [result.reason.code] : []));
  expect(new Set(refusals)).toEqual(new Set(["backup-running"]));
  expect(runs.length + ownRuns.length).toBe(1);
});

test("a nightly backup runs when it is due, and again an hour after a failure", async () => {
  await runJob();
  expect(runs).toHaveLength(0);
  clock.advance(26 * HOUR);
  await runJob();
  await runJob();
  expect(runs).toHaveLength(1);
  lastRun().end(1);
  await becomes("failed");
  expect(await health()).toMatchObject({
    failure: { message: expect.stringContaining("See the log of the shop") },
  });
  clock.advance(59 * MINUTE);
  await runJob();
  expect(runs).toHaveLength(1);
  clock.advance(MINUTE);
  await runJob();
  expect(runs).toHaveLength(2);
  await succeed(lastRun());
  await becomes("done");
  clock.advance(90 * MINUTE);
  await runJob();
  expect(runs).toHaveLength(2);
});

test("a shop without nightly backups makes none and mails nobody", async () => {
  await startBackup(admin);
  await succeed(lastRun());
  clock.advance(100 * HOUR);
  await backUpWhenDue(shop.system());
  await tellOfOldBackup(shop.system());
  expect(runs).toHaveLength(1);
  expect(await shop.db.$count(mailMessages)).toBe(0);
  expect(await readBackupHealth(admin)).toMatchObject({ isNightly: false, isOverdue: false });
});

test("a killed command counts as interrupted, and so does one whose shop was killed; both are failures", async () => {
  await startBackup(admin);
  lastRun().end(137);
  await becomes("interrupted");
  await startBackup(admin);
  const lost = lastRun();
  await loseRun();
  expect(await health()).toMatchObject({ state: "interrupted" });
  clock.advance(HOUR);
  await startBackup(admin);
  expect(await health()).toMatchObject({
    state: "running",
    failure: { message: expect.stringMatching(/interrupted/) },
  });
  // A command that still runs after all records nothing.
  await succeed(lost);
  expect(await health()).toMatchObject({ state: "running", verified: null });
});

test("what a command has said about its failure stays, and so does the last verified backup", async () => {
  await startBackup(admin);
  await succeed(lastRun());
  await becomes("done");
  const before = (await health()).verified;
  clock.advance(HOUR);
  await startBackup(admin);
  const failure = { at: clock.now().toISOString(), message: "The disk is full." };
  await recordBackup(shop.system(), lastRun().runId, { outcome: "failed", failure });
  lastRun().end(1);
  await becomes("failed");
  expect(await health()).toMatchObject({ failure, verified: before });
});

test("a backup by hand is visible while it runs, and refused while another one runs", async () => {
  await runOwnBackup(shop.system(), async (runId) => {
    expect(await health()).toMatchObject({ state: "running" });
    await expect(startBackup(admin)).rejects.toMatchObject({ code: "backup-running" });
    const other = runOwnBackup(shop.system(), async () => undefined);
    await expect(other).rejects.toMatchObject({ code: "backup-running" });
    await recordBackup(shop.system(), runId, { outcome: "done" });
  });
  expect(await health()).toMatchObject({ state: "done" });
});

test("admins get a mail after 48 hours without a verified backup, and another one after 48 more", async () => {
  await runJob();
  const mails = () => shop.db.select().from(mailMessages);
  const failUntil = async (hours: number) => {
    for (let hour = 0; hour < hours; hour += 1) {
      clock.advance(HOUR);
      // Three processes of the shop.
      await Promise.all([runJob(), runJob(), runJob()]);
      const run = runs.at(-1);
      if (run !== undefined) {
        const failure = { at: clock.now().toISOString(), message: "The disk is full." };
        await recordBackup(shop.system(), run.runId, { outcome: "failed", failure });
        run.end(1);
      }
    }
  };
  await failUntil(48);
  expect(await mails()).toEqual([]);
  expect((await health()).isOverdue).toBe(false);
  await failUntil(1);
  expect((await health()).isOverdue).toBe(true);
  const [mail, ...others] = await mails();
  expect(others).toEqual([]);
  expect(mail).toMatchObject({ recipient: admin.actor.email, kind: "backup-overdue" });
  expect(JSON.parse(mail?.text ?? "")).toMatchObject({ lastAt: null, reason: "The disk is full." });
  await failUntil(47);
  expect(await mails()).toHaveLength(1);
  await failUntil(1);
  expect(await mails()).toHaveLength(2);
  clock.advance(HOUR);
  await runJob();
  await succeed(lastRun());
  await becomes("done");
  expect((await health()).isOverdue).toBe(false);
  clock.advance(47 * HOUR);
  await runJob();
  expect(await mails()).toHaveLength(2);
});

test("a setting that cannot be read counts as no record, and is replaced", async () => {
  await shop.db.insert(settings).values({ key: BACKUPS_KEY, value: { since: "yesterday" } });
  expect(await health()).toMatchObject({ state: null, verified: null });
  await runJob();
  expect((await selectBackups(shop.db))?.stored.since).toBe(clock.now().toISOString());
  await startBackup(admin);
  await succeed(lastRun());
  await becomes("done");
  expect((await selectBackups(shop.db))?.stored.verified).toEqual(fileAt(clock.now()));
});
