import { sql } from "drizzle-orm";
import { afterAll, beforeEach, expect, test } from "vitest";
import { toolPageGrants, tools } from "#db/tables/catalog.ts";
import { mailMessages, settings } from "#db/tables/operations.ts";
import { webhookEvents } from "#db/tables/payments.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { insertPayment } from "#tests/fixtures/insert-payment.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { RESTORED_BACKUP_KEY } from "../backups/restored-shop.server.ts";
import { CONFIRMATIONS } from "../reports/go-live-checklist.ts";
import { DAY, HOUR } from "../time.ts";
import { type CheckId, ok, runChecks } from "./health-check.ts";
import { checkHealthAgain, readHealth } from "./read-health.server.ts";
import { type CheckedShop, shopChecks } from "./shop-checks.server.ts";

const clock = { now: () => new Date() };
const shop = openTestShop(await freshDatabase(), { clock });
afterAll(() => shop.close());
beforeEach(() =>
  shop.db.execute(
    sql`truncate settings, mail_messages, gateway_events, job_runs, refunds, payment_attempts, payment_orders, user_purchases cascade`,
  ),
);

async function check(id: CheckId, options: Partial<CheckedShop> = {}) {
  const checks = shopChecks({
    db: shop.db,
    now: clock.now,
    timeZone: "Asia/Kolkata",
    gateway: "razorpay",
    includesTestMode: false,
    hasWebhookSecret: true,
    webhookAddress: "https://shop.example/webhooks/razorpay",
    sendsMail: true,
    makesBackups: true,
    isShopHere: () => true,
    isGone: () => false,
    ...options,
  });
  const { lines } = await runChecks([{ id: "schema", run: () => ok("") }, ...checks], clock);
  return lines.find((line) => line.id === id);
}
const restore = () =>
  shop.db.insert(settings).values({
    key: RESTORED_BACKUP_KEY,
    value: { restoredAt: clock.now().toISOString(), backupAt: clock.now().toISOString(), confirmedAt: null },
  });

test("only an admin reads the health and starts the checks", async () => {
  let asked = 0;
  const health = {
    latest: () => {
      asked++;
      return { report: null, isRunning: true, hasFailed: false };
    },
  };
  for (const [ctx, code] of [
    [shop.visitor(), "unauthenticated"],
    [await shop.user(), "forbidden"],
    [shop.system(), "unauthenticated"],
  ] as const) {
    const watched = { ...ctx, ports: { ...ctx.ports, health } };
    await expect(readHealth(watched)).rejects.toMatchObject({ code });
    await expect(checkHealthAgain(watched)).rejects.toMatchObject({ code });
  }
  expect(asked).toBe(0);
  const admin = await shop.user("admin");
  const watched = { ...admin, ports: { ...admin.ports, health } };
  expect(await readHealth(watched)).toEqual({
    report: null,
    isRunning: true,
    hasFailed: false,
    ownAddress: null,
  });
  await checkHealthAgain(watched);
  expect(asked).toBe(2);
});

test("refunds of test payments count in a shop in test mode only", async () => {
  const refund = { createdAt: new Date(Date.now() - 2 * DAY), status: "processing" as const };
  await insertPayment(shop, { attempt: { outcome: "refund" }, refunds: [refund] });
  expect(await check("refunds")).toMatchObject({ state: "ok", detail: "No refund is waiting." });
  expect(await check("refunds", { includesTestMode: true })).toMatchObject({ state: "failed" });
});

test("refunds and mails of a restored shop wait for the confirmation, and that is what is said", async () => {
  const createdAt = new Date(Date.now() - 2 * DAY);
  await insertPayment(shop, {
    order: { testMode: false },
    attempt: { outcome: "refund" },
    refunds: [{ createdAt, status: "requested" }],
  });
  await shop.db.insert(mailMessages).values({
    recipient: "asha@example.com",
    kind: "test-mail",
    subject: "Test",
    html: "",
    text: "{}",
    nextTryAt: createdAt,
  });
  const due = { isShopHere: () => false };
  await shop.db.execute(
    sql`insert into job_runs (name, next_run_at) values ('send-mail', now() + interval '1 minute')`,
  );
  expect(await check("jobs", due)).toMatchObject({
    state: "failed",
    detail: expect.stringMatching(/^An email has/),
  });
  expect(await check("jobs", { ...due, sendsMail: false })).toMatchObject({ state: "ok" });
  await restore();
  expect(await check("jobs", due)).toMatchObject({ state: "ok" });
  expect(await check("refunds")).toMatchObject({
    state: "warning",
    detail: expect.stringMatching(/confirms/),
  });
});

test("an event of the gateway that nobody processes is named", async () => {
  const createdAt = new Date(Date.now() - HOUR);
  await shop.db.execute(
    sql`insert into job_runs (name, next_run_at) values ('send-mail', now() + interval '1 minute')`,
  );
  await shop.db
    .insert(webhookEvents)
    .values({ gateway: "razorpay", eventId: "e", type: "order.paid", payload: "{}", createdAt });
  expect(await check("jobs")).toMatchObject({
    state: "failed",
    detail: expect.stringMatching(/^A webhook of the payment gateway has/),
  });
  expect(await check("jobs", { gateway: "sandbox" })).toMatchObject({ state: "ok" });
  expect(await check("webhook")).toMatchObject({ state: "ok" });
  expect(await check("webhook", { gateway: null })).toMatchObject({ state: "skipped" });
});

test("a shop that an owner backs up in another way needs no backup of its own", async () => {
  expect(await check("backup", { makesBackups: false })).toMatchObject({ state: "warning" });
  await shop.db.insert(settings).values({ key: CONFIRMATIONS.backup.key, value: {} });
  expect(await check("backup", { makesBackups: false })).toMatchObject({ state: "ok" });
});

test("a shop without any job on time is skipped where it does not run", async () => {
  await shop.db.execute(
    sql`insert into job_runs (name, next_run_at) values ('send-mail', now() - interval '1 hour')`,
  );
  expect(await check("jobs", { isShopHere: () => false })).toMatchObject({ state: "skipped" });
  expect(await check("jobs")).toMatchObject({ state: "failed" });
});

test("tools whose names look the same are named", async () => {
  await shop.tool({ name: "Canva Pro" });
  expect(await check("names")).toMatchObject({ state: "ok" });
  await shop.tool({ name: "canva\u200b Pro" });
  expect(await check("names")).toMatchObject({
    state: "warning",
    detail: "These tools have names that look the same: Canva Pro (2 times).",
  });
});

test("servers of one tool, and names of purchases that open one page, are named when they look the same", async () => {
  await shop.db.delete(tools);
  const servers = ["Server 1", "Cafe\u0301", "server\u200b 1", "Caf\u00e9"].map((name, at) => ({
    id: `s${at}`,
    name,
    url: null,
  }));
  for (const slug of ["one", "two"])
    await shop.tool({ slug, name: `Tool ${slug}`, servers: servers.slice(0, 2) });
  await shop.db.insert(toolPageGrants).values([
    { page: "one", toolName: "Old Canva" },
    { page: "two", toolName: "Old\u200b Canva" },
  ]);
  expect(await check("names")).toMatchObject({ state: "ok" });
  await shop.tool({ name: "Three", servers });
  await shop.db.insert(toolPageGrants).values({ page: "one", toolName: "old\u2060 Canva" });
  expect(await check("names")).toMatchObject({
    state: "warning",
    detail:
      "These servers of Three have names that look the same: Server 1 (2 times), Cafe\u0301 (2 times). These purchases that open the page “one” have names that look the same: Old Canva (2 times).",
  });
});
