import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq, sql } from "drizzle-orm";
import { uuidv7, V7Generator } from "uuidv7";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { createImportFileDeletion, importFolder } from "#adapters/import-folder/import-folder.ts";
import { sessions, users, verifications } from "#db/tables/accounts.ts";
import { stockAlerts } from "#db/tables/catalog.ts";
import { devices } from "#db/tables/devices.ts";
import {
  adminRefusals,
  auditEvents,
  bulkActionRows,
  bulkActions,
  mailMessages,
  passReminders,
  rateLimits,
  settings,
} from "#db/tables/operations.ts";
import { unknownPayments, webhookEvents } from "#db/tables/payments.ts";
import { insertPayment } from "#tests/fixtures/insert-payment.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { addDays, DAY, MINUTE } from "../time.ts";
import { purgeExpired } from "./purge-expired.server.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());
beforeEach(async () => {
  await shop.db.execute(
    sql`truncate gateway_events, sessions, verifications, rate_limits, pass_reminders, mail_messages, audit_events`,
  );
});

const daysAgo = (days: number, ms = 0) => new Date(addDays(shop.clock.now(), -days).getTime() - ms);
const purge = () => purgeExpired(shop.system());
const nothing = {
  webhookEvents: 0,
  sessions: 0,
  verifications: 0,
  rateLimits: 0,
  adminRefusals: 0,
  bulkActions: 0,
  sentMails: 0,
  unsentMails: 0,
  unsentResetMails: 0,
  unsentLastMails: 0,
  auditEvents: 0,
  deviceTickets: 0,
  devices: 0,
  stockAlerts: 0,
  reminders: 0,
  importUploads: 0,
};
const idAt = (moment: Date) => new V7Generator().generateOrResetCore(moment.getTime(), 10_000).toString();

function event(createdAt: Date, processedAt: Date | null = createdAt) {
  const id = idAt(createdAt);
  return {
    id,
    createdAt,
    processedAt,
    gateway: "sandbox",
    eventId: id,
    type: "payment.captured",
    payload: "{}",
  };
}

test("webhook events that were processed more than 90 days ago are deleted", async () => {
  const recent = event(daysAgo(89));
  const processedLate = event(daysAgo(200), daysAgo(90));
  const unprocessed = event(daysAgo(400), null);
  await shop.db.insert(webhookEvents).values([event(daysAgo(90, 1)), event(daysAgo(500))]);
  await shop.db.insert(webhookEvents).values([recent, processedLate, unprocessed]);
  expect(await purge()).toEqual({ ...nothing, webhookEvents: 2 });
  const left = await shop.db.select({ id: webhookEvents.id }).from(webhookEvents);
  expect(left.map(({ id }) => id).sort()).toEqual([recent.id, processedLate.id, unprocessed.id].sort());
});

test("sessions, reset links and counters that expired more than a day ago are deleted", async () => {
  const { actor } = await shop.user();
  const moments = [daysAgo(1, 1), daysAgo(1), daysAgo(-1)];
  for (const expiresAt of moments) {
    await shop.db.insert(sessions).values({ userId: actor.userId, token: uuidv7(), expiresAt });
    await shop.db.insert(verifications).values({ identifier: uuidv7(), value: "v", expiresAt });
    await shop.db.insert(rateLimits).values({ key: uuidv7(), expire: expiresAt.getTime() });
    const hour = { addressKey: "203.0.113.7", hour: expiresAt, eventId: uuidv7(), count: 1 };
    await shop.db.insert(adminRefusals).values(hour);
  }
  await shop.db.insert(rateLimits).values({ key: "never", expire: null });
  expect(await purge()).toEqual({
    ...nothing,
    sessions: 1,
    verifications: 1,
    rateLimits: 1,
    adminRefusals: 1,
  });
  expect(await shop.db.select({ at: sessions.expiresAt }).from(sessions)).toEqual([
    { at: moments[1] },
    { at: moments[2] },
  ]);
  expect(await purge()).toEqual(nothing);
});

type Mail = Partial<typeof mailMessages.$inferInsert>;

async function insertMail(createdAt: Date, facts: Mail): Promise<string> {
  const id = idAt(createdAt);
  const mail = { id, createdAt, recipient: "a@example.com", subject: "s", html: "h", text: "t" };
  await shop.db.insert(mailMessages).values({ ...mail, kind: "payment-refunded", ...facts });
  return id;
}

const mailsLeft = async () =>
  (await shop.db.select({ id: mailMessages.id }).from(mailMessages)).map(({ id }) => id).sort();

test("mails that were sent more than 90 days ago are deleted, and unsent ones after a year", async () => {
  await insertMail(daysAgo(91), { status: "sent", sentAt: daysAgo(90, 1) });
  await insertMail(daysAgo(365, 1), { status: "queued" });
  await insertMail(daysAgo(365, 1), { status: "failed" });
  const kept = [
    await insertMail(daysAgo(91), { status: "sent", sentAt: daysAgo(90) }),
    await insertMail(daysAgo(89), { status: "sent", sentAt: daysAgo(89) }),
    await insertMail(daysAgo(364), { status: "queued" }),
    await insertMail(daysAgo(364), { status: "failed" }),
  ];
  expect(await purge()).toEqual({ ...nothing, sentMails: 1, unsentMails: 2 });
  expect(await mailsLeft()).toEqual(kept.sort());
});

test("an unsent reset mail is deleted when its link has expired", async () => {
  const minutesAgo = (minutes: number, ms = 0) =>
    new Date(shop.clock.now().getTime() - minutes * MINUTE - ms);
  const reset = { kind: "password-reset" };
  await insertMail(minutesAgo(60, 1), { ...reset, status: "queued" });
  await insertMail(minutesAgo(60, 1), { ...reset, status: "failed" });
  const kept = [
    await insertMail(minutesAgo(60), { ...reset, status: "queued" }),
    await insertMail(minutesAgo(60, 1), { ...reset, status: "sent", sentAt: minutesAgo(59) }),
    await insertMail(minutesAgo(60, 1), { status: "queued" }),
  ];
  expect(await purge()).toEqual({ ...nothing, unsentResetMails: 2 });
  expect(await mailsLeft()).toEqual(kept.sort());
});

test("the last mail of a deleted account does not wait longer than a week", async () => {
  await insertMail(daysAgo(7, 1), { kind: "account-deleted", status: "queued" });
  const kept = [await insertMail(daysAgo(7), { kind: "account-deleted", status: "queued" })];
  expect(await purge()).toEqual({ ...nothing, unsentLastMails: 1 });
  expect(await mailsLeft()).toEqual(kept);
});

test("devices are deleted 30 days after they have expired, in use or released", async () => {
  const { actor } = await shop.user();
  const device = (lastSeenAt: Date, releasedAt: Date | null = null) => ({
    userId: actor.userId,
    installationId: uuidv7(),
    name: "Chrome",
    extensionVersion: "1.0.0",
    tokenHash: uuidv7(),
    lastSeenAt,
    releasedAt,
  });
  await shop.db.insert(devices).values([device(daysAgo(210, 1)), device(daysAgo(210, 1), daysAgo(200))]);
  await shop.db.insert(devices).values([device(daysAgo(210)), device(daysAgo(0))]);
  expect(await purge()).toEqual({ ...nothing, devices: 2 });
  expect(await shop.db.$count(devices)).toBe(2);
});

test("client addresses in audit events, and the address of a payer, are removed after 90 days, in batches", async () => {
  const row = (createdAt: Date) => ({
    action: "account.password-changed",
    createdAt,
    actorKind: "user" as const,
    subjectType: "user",
    details: { ipAddress: "203.0.113.7", kept: true },
  });
  await shop.db.insert(auditEvents).values(Array.from({ length: 501 }, () => row(daysAgo(90, 1))));
  await shop.db.insert(auditEvents).values(row(daysAgo(90)));
  const payment = (state: "waiting" | "refunded" | "charged-back", updatedAt: Date) => ({
    gateway: "razorpay",
    testMode: false,
    gatewayPaymentId: uuidv7(),
    gatewayOrderId: uuidv7(),
    receipt: uuidv7(),
    amountPaise: 100,
    currency: "INR",
    paidAt: updatedAt,
    email: "payer@example.com",
    phone: "+919000000001",
    state,
    updatedAt,
  });
  await shop.db
    .insert(unknownPayments)
    .values([
      payment("refunded", daysAgo(90, 1)),
      payment("refunded", daysAgo(90)),
      payment("charged-back", daysAgo(90, 1)),
      payment("waiting", daysAgo(400)),
    ]);
  expect(await purge()).toEqual(nothing);
  expect(await shop.db.$count(auditEvents)).toBe(502);
  expect(await shop.db.$count(auditEvents, sql`details ? 'ipAddress'`)).toBe(1);
  expect(await shop.db.$count(auditEvents, sql`details ? 'kept'`)).toBe(502);
  const payers = await shop.db
    .select({ email: unknownPayments.email, phone: unknownPayments.phone })
    .from(unknownPayments);
  expect(payers.filter(({ email, phone }) => email === null && phone === null)).toHaveLength(2);
});

test("sign-ins and sign-outs of buyers, failed attempts and refused requests are deleted after 90 days, and no other audit event", async () => {
  const row = (action: string, createdAt: Date) => ({
    action,
    createdAt,
    actorKind: "visitor" as const,
    subjectType: "user",
  });
  await shop.db
    .insert(auditEvents)
    .values([
      row("account.sign-in-failed", daysAgo(90, 1)),
      row("admin.sign-in-failed", daysAgo(90, 1)),
      row("admin.password-confirmation-failed", daysAgo(90, 1)),
      row("account.password-change-failed", daysAgo(90, 1)),
      row("account.owner-confirmation-failed", daysAgo(90, 1)),
      row("account.signed-in", daysAgo(90, 1)),
      row("account.signed-out", daysAgo(90, 1)),
      row("admin.request-refused", daysAgo(90, 1)),
      row("admin.sign-in-failed", daysAgo(90)),
      row("admin.signed-in", daysAgo(4000)),
    ]);
  expect(await purge()).toEqual({ ...nothing, auditEvents: 8 });
  const left = await shop.db.select({ action: auditEvents.action }).from(auditEvents);
  expect(left.map(({ action }) => action).sort()).toEqual(["admin.sign-in-failed", "admin.signed-in"]);
});

test("one run deletes more than one batch, and so do two parallel runs", async () => {
  await shop.db.execute(sql`
    insert into rate_limits (key, expire) select 'key ' || n, ${daysAgo(2).getTime()} from generate_series(1, 1200) n`);
  const runs = await Promise.all([purge(), purge()]);
  expect(runs.reduce((sum, { rateLimits: rows }) => sum + rows, 0)).toBe(1200);
  expect(await shop.db.$count(rateLimits)).toBe(0);
});

test("purchases, orders, payments, refunds and users are never deleted", async () => {
  const refunded = { attempt: { outcome: "refund" as const }, refunds: [{}] };
  const { email } = await insertPayment(shop, refunded);
  const rows = async () => {
    const { rows } = await shop.db.execute(sql`
      select (select count(*) from user_purchases) as purchases, (select count(*) from payment_orders) as orders,
        (select count(*) from payment_attempts) as attempts, (select count(*) from refunds) as refunds,
        (select count(*) from users) as users`);
    return rows;
  };
  const before = await rows();
  const now = shop.clock.now();
  shop.clock.advance(3650 * DAY);
  await purge();
  shop.clock.set(now);
  expect(await rows()).toEqual(before);
  expect(await shop.db.$count(users, eq(users.email, email))).toBe(1);
});

test("only the system may delete expired rows", async () => {
  await expect(purgeExpired(shop.visitor())).rejects.toMatchObject({ code: "forbidden" });
  await expect(purgeExpired(await shop.user("admin"))).rejects.toMatchObject({ code: "forbidden" });
});

test("which passes were reminded of is deleted 90 days after their end", async () => {
  const buyer = await shop.user();
  const tool = await shop.tool();
  await shop.pass(buyer, { toolId: tool.id, toolName: tool.name });
  const purchaseId = (await shop.purchasesOf(buyer))[0]?.id ?? "";
  const kind = "last-day" as const;
  await shop.db
    .insert(passReminders)
    .values([89, 91].map((days) => ({ purchaseId, kind, endsAt: daysAgo(days) })));
  expect(await purge()).toEqual({ ...nothing, reminders: 1 });
  expect(await shop.db.select({ endsAt: passReminders.endsAt }).from(passReminders)).toEqual([
    { endsAt: daysAgo(89) },
  ]);
});

test("stock alerts older than 90 days, and those of deleted tools, are deleted", async () => {
  const { actor } = await shop.user();
  const tools = [await shop.tool(), await shop.tool(), await shop.tool({ deletedAt: daysAgo(0) })];
  const createdAt = [daysAgo(90), daysAgo(90, 1), daysAgo(1)];
  await shop.db
    .insert(stockAlerts)
    .values(tools.map(({ id }, at) => ({ toolId: id, userId: actor.userId, createdAt: createdAt[at] })));
  expect(await purge()).toEqual({ ...nothing, stockAlerts: 2 });
  const left = await shop.db.select({ toolId: stockAlerts.toolId }).from(stockAlerts);
  expect(left).toEqual([{ toolId: tools[0]?.id }]);
});

test("reports of imports are deleted after 90 days, what a killed import or an older version left after a day", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "purge-imports-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const system = shop.system();
  const deleteImportFiles = createImportFileDeletion(dataDir);
  const purgeFiles = () => purgeExpired({ ...system, ports: { ...system.ports, deleteImportFiles } });
  // A shop that has imported nothing has no such folder.
  await purgeFiles();
  const folder = importFolder(dataDir);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const id = "0199f3c6-8a41-7c3e-9d5b-2f6e8a1c4d70";
  const pathsOf = (names: readonly string[]) => names.map((name) => join(folder, name));
  const reports = pathsOf([
    "import-2026-11-25T20-11-58.txt",
    "import-2026-11-25T20-11-58.csv",
    "import-2026-11-25T20-11-58.txt.lines",
    `upload-${id}-dry-run.txt`,
    `upload-${id}-import.txt`,
  ]);
  const leftovers = pathsOf([`upload-${id}.zip`, "old-shop-a1B2c3"]);
  const foreign = pathsOf(["notes.txt"]);
  for (const path of [...reports, ...foreign, leftovers[0] ?? ""]) writeFileSync(path, "content");
  mkdirSync(leftovers[1] ?? "");
  writeFileSync(join(leftovers[1] ?? "", "users.json"), "[]");
  const left = async (moment: Date) => {
    for (const path of [...reports, ...leftovers, ...foreign].filter((one) => existsSync(one)))
      utimesSync(path, moment, moment);
    await purgeFiles();
    return [reports, leftovers, foreign].map((paths) => paths.filter((path) => existsSync(path)).length);
  };
  expect(await left(daysAgo(1))).toEqual([5, 2, 1]);
  expect(await left(daysAgo(1, 1000))).toEqual([5, 0, 1]);
  expect(await left(daysAgo(90))).toEqual([5, 0, 1]);
  expect(await left(daysAgo(90, 1000))).toEqual([0, 0, 1]);
});

test("bulk actions that nobody has confirmed within a day are deleted with their rows; those that were started stay", async () => {
  const moments = [
    { createdAt: daysAgo(1, 1), startedAt: null },
    { createdAt: daysAgo(1), startedAt: null },
    { createdAt: daysAgo(400), startedAt: daysAgo(400) },
  ];
  const ids = moments.map(({ createdAt }) => idAt(createdAt));
  for (const [at, moment] of moments.entries()) {
    const id = ids[at] ?? "";
    await shop.db
      .insert(bulkActions)
      .values({ id, actorId: uuidv7(), action: "delete-users", rowCount: 1, ...moment });
    await shop.db
      .insert(bulkActionRows)
      .values({ bulkActionId: id, position: 1, rowId: uuidv7(), state: "" });
  }
  expect(await purge()).toEqual({ ...nothing, bulkActions: 1 });
  const left = await shop.db.select({ id: bulkActionRows.bulkActionId }).from(bulkActionRows);
  expect(left.map(({ id }) => id).sort()).toEqual(ids.slice(1).sort());
});

test("what an older version stored about an upload is deleted a day after its last change", async () => {
  const key = "import-upload";
  const readKeys = async () =>
    (await shop.db.select({ key: settings.key }).from(settings)).map((row) => row.key).sort();
  const before = await readKeys();
  await shop.db.insert(settings).values({ key, value: { runId: "run" }, updatedAt: daysAgo(1) });
  await shop.db.insert(settings).values({ key: "another", value: {}, updatedAt: daysAgo(400) });
  expect(await purge()).toEqual(nothing);
  await shop.db
    .update(settings)
    .set({ updatedAt: daysAgo(1, 1) })
    .where(eq(settings.key, key));
  expect(await purge()).toEqual({ ...nothing, importUploads: 1 });
  expect(await readKeys()).toEqual([...before, "another"].sort());
  await shop.db.delete(settings).where(eq(settings.key, "another"));
});
