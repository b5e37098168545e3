import { eq } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeEach, expect, test } from "vitest";
import { reactMailTemplates } from "#adapters/mail-templates/react-mail-templates.tsx";
import { users } from "#db/tables/accounts.ts";
import { tools } from "#db/tables/catalog.ts";
import { mailMessages, passReminders, settings } from "#db/tables/operations.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import { setUserActive } from "../accounts/manage-users.server.ts";
import { RESTORED_BACKUP_KEY } from "../backups/restored-shop.server.ts";
import type { Context } from "../context.ts";
import { sendQueuedMail } from "../mail/send-queued-mail.server.ts";
import { stopRemindersUrl } from "../mail/stop-reminders-link.ts";
import { extendPurchase } from "../passes/change-pass-times.server.ts";
import { addDays, DAY, HOUR, MINUTE } from "../time.ts";
import {
  isStopRemindersLink,
  readWantsReminders,
  setWantsReminders,
  stopReminders,
} from "./opt-out.server.ts";
import { dropOutdatedReminders, remindBuyers } from "./remind-buyers.server.ts";
import { readReminderSetting, setReminders } from "./reminder-setting.server.ts";

const start = new Date("2026-11-21T06:30:00Z");
const shop = openTestShop(await freshDatabase(), {
  clock: createManualClock(start),
  ports: { mailTemplates: reactMailTemplates },
});
const { db } = shop;
afterAll(() => shop.close());

type Sent = { to: string; unsubscribeUrl?: string | null; text: string };
let sent: Sent[] = [];

/** The shop with a mail server. */
const system = (): Context => {
  const ctx = shop.system();
  const send = (mail: Sent) => Promise.resolve(void sent.push(mail));
  return { ...ctx, ports: { ...ctx.ports, mailTransport: { send } } };
};

beforeEach(async () => {
  sent = [];
  shop.clock.set(start);
  await db.delete(passReminders);
  await db.delete(mailMessages);
  await db.update(userPurchases).set({ endedAt: start, endedReason: "cancelled" });
  await db.delete(settings);
  // From here on, reminders are on.
  await remindBuyers(system());
  shop.clock.advance(10 * DAY);
});

type Buyer = Awaited<ReturnType<typeof shop.user>>;

/** A pass that ends in some days from now, at 6 pm. */
async function passEnding(
  buyer: Buyer,
  inDays: number,
  values: Partial<typeof userPurchases.$inferInsert> = {},
) {
  const tool = await shop.tool();
  const id = uuidv7();
  const expiresAt = new Date(addDays(shop.clock.now(), inDays).getTime() + 6 * HOUR);
  await shop.pass(buyer, {
    id,
    toolId: tool.id,
    toolName: tool.name,
    startsAt: addDays(expiresAt, -30),
    expiresAt,
    ...values,
  });
  return { id, tool, expiresAt };
}

const mails = () => db.select().from(mailMessages).where(eq(mailMessages.kind, "pass-ending"));

test("a buyer is reminded three days before a pass ends and on its last day, once each, with the link to renew and the link to stop", async () => {
  const buyer = await shop.user();
  const { tool } = await passEnding(buyer, 3);
  expect(await remindBuyers(system())).toBe(1);
  expect(await remindBuyers(system())).toBe(0);
  const [mail] = await mails();
  expect(mail).toMatchObject({
    recipient: buyer.actor.email,
    subject: `Your pass for ${tool.name} ends soon`,
  });
  expect(mail?.text).toContain(`${shop.system().store.origin}/shop/${tool.slug}?renew`);
  expect(mail?.text).toContain(stopRemindersUrl(shop.system(), buyer.actor.userId));
  shop.clock.advance(3 * DAY);
  expect(await remindBuyers(system())).toBe(1);
  expect(await remindBuyers(system())).toBe(0);
  expect(await mails()).toHaveLength(2);
});

test("several passes of a buyer are one mail, and each buyer gets an own one", async () => {
  const [buyer, other] = [await shop.user(), await shop.user()];
  const first = await passEnding(buyer, 2);
  const second = await passEnding(buyer, 3);
  await passEnding(other, 3);
  expect(await remindBuyers(system())).toBe(2);
  const own = (await mails()).filter(({ recipient }) => recipient === buyer.actor.email);
  expect(own).toMatchObject([{ subject: "2 of your passes end soon" }]);
  for (const { tool } of [first, second]) expect(own[0]?.text).toContain(tool.name);
});

test("60 runs at the same time send one mail to each buyer", async () => {
  const buyers = await Promise.all([1, 2, 3].map(() => shop.user()));
  for (const buyer of buyers) for (const days of [2, 3]) await passEnding(buyer, days);
  const written = await Promise.all(Array.from({ length: 60 }, () => remindBuyers(system())));
  expect(written.reduce((sum, count) => sum + count, 0)).toBe(3);
  expect(await mails()).toHaveLength(3);
  expect(await db.$count(passReminders)).toBe(6);
});

test("nobody is reminded of a renewed, ended, test or endless pass, of one that is being renewed, or with a disabled account", async () => {
  const user = () => shop.user();
  const renewed = await user();
  const { tool, expiresAt } = await passEnding(renewed, 3);
  await shop.pass(renewed, {
    toolId: tool.id,
    toolName: tool.name,
    startsAt: expiresAt,
    expiresAt: addDays(expiresAt, 30),
  });
  const paying = await user();
  const held = await passEnding(paying, 3);
  await shop.pass(paying, {
    toolId: held.tool.id,
    toolName: held.tool.name,
    status: "pending",
    startsAt: null,
    expiresAt: null,
    isRenewal: true,
    holdEndsAt: addDays(start, 30),
  });
  await passEnding(await user(), 3, { endedAt: start, endedReason: "cancelled" });
  await passEnding(await user(), 3, { testMode: true });
  await passEnding(await user(), 3, { expiresAt: new Date("9999-12-31T00:00:00Z") });
  await passEnding(await user(), 3, { startsAt: addDays(shop.clock.now(), -1) });
  const disabled = await user();
  await passEnding(disabled, 3);
  await setUserActive(await shop.user("admin"), { userId: disabled.actor.userId, isActive: false });
  expect(await remindBuyers(system())).toBe(0);
});

test("a renewal that is paid while the job runs is seen: the job waits for the lock of the pass", async () => {
  const buyer = await shop.user();
  const { id, tool, expiresAt } = await passEnding(buyer, 3);
  let running: Promise<number> | undefined;
  await db.transaction(async (tx) => {
    await tx.select().from(userPurchases).where(eq(userPurchases.id, id)).for("update");
    running = remindBuyers(system());
    // The job has found the pass, and waits.
    await expect
      .poll(async () => (await db.execute("select from pg_locks where not granted")).rows.length)
      .toBeGreaterThan(0);
    await tx.insert(userPurchases).values({
      userId: buyer.actor.userId,
      userEmail: buyer.actor.email,
      toolId: tool.id,
      toolName: tool.name,
      validityDays: 30,
      listPricePaise: 100,
      amountPaise: 100,
      status: "completed",
      source: "checkout",
      isRenewal: true,
      startsAt: expiresAt,
      expiresAt: addDays(expiresAt, 30),
    });
  });
  expect(await running).toBe(0);
  expect(await mails()).toEqual([]);
});

test("a pass with a new end is reminded of again", async () => {
  const { id } = await passEnding(await shop.user(), 3);
  expect(await remindBuyers(system())).toBe(1);
  await extendPurchase(await shop.user("admin"), { purchaseId: id, days: "2" });
  expect(await remindBuyers(system())).toBe(0);
  shop.clock.advance(2 * DAY);
  expect(await remindBuyers(system())).toBe(1);
});

test("the link is left out where the tool is not sold", async () => {
  const buyer = await shop.user();
  const { tool } = await passEnding(buyer, 3);
  await db.update(tools).set({ availableStock: 0 }).where(eq(tools.id, tool.id));
  await remindBuyers(system());
  expect((await mails())[0]?.text).not.toContain("/shop/");
  expect((await mails())[0]?.text).not.toContain("renewal");
});

test("reminders wait for 9 o'clock", async () => {
  await passEnding(await shop.user(), 3);
  shop.clock.advance(10 * HOUR);
  expect(await remindBuyers(system())).toBe(0);
  shop.clock.advance(11 * HOUR);
  expect(await remindBuyers(system())).toBe(1);
});

test("what becomes due without a mail server, or in a restored shop before its confirmation, is never mailed", async () => {
  await passEnding(await shop.user(), 3);
  expect(await remindBuyers(shop.system())).toBe(0);
  expect(await remindBuyers(system())).toBe(0);
  const restored = {
    restoredAt: "2026-01-02T00:00:00Z",
    backupAt: "2026-01-01T00:00:00Z",
    confirmedAt: null,
  };
  await db.insert(settings).values({ key: RESTORED_BACKUP_KEY, value: restored });
  expect(await remindBuyers(system())).toBe(0);
  await db.delete(settings).where(eq(settings.key, RESTORED_BACKUP_KEY));
  expect(await remindBuyers(system())).toBe(0);
  await passEnding(await shop.user(), 3.5);
  shop.clock.advance(DAY);
  expect(await remindBuyers(system())).toBe(1);
});

/** The mails that are sent when the mail server is back after some time. */
async function sendAfter(ms: number): Promise<Sent[]> {
  shop.clock.advance(ms);
  await dropOutdatedReminders(system());
  await sendQueuedMail(system());
  return sent;
}

test("a reminder that waits for the mail server is sent the same day, and not at night", async () => {
  await passEnding(await shop.user(), 3);
  await remindBuyers(system());
  expect(await sendAfter(7 * HOUR)).toHaveLength(1);
  await passEnding(await shop.user(), 3);
  await remindBuyers(system());
  sent = [];
  expect(await sendAfter(2 * HOUR)).toEqual([]);
});

test.each<[string, (buyer: Buyer, pass: Awaited<ReturnType<typeof passEnding>>) => Promise<unknown>]>([
  [
    "its pass is renewed",
    (buyer, { tool, expiresAt }) =>
      shop.pass(buyer, {
        toolId: tool.id,
        toolName: tool.name,
        startsAt: expiresAt,
        expiresAt: addDays(expiresAt, 30),
      }),
  ],
  [
    "its pass is extended",
    async (_, { id }) => extendPurchase(await shop.user("admin"), { purchaseId: id, days: "9" }),
  ],
  [
    "its pass is cancelled",
    (_, { id }) =>
      db
        .update(userPurchases)
        .set({ endedAt: start, endedReason: "cancelled" })
        .where(eq(userPurchases.id, id)),
  ],
  ["its buyer wants none", (buyer) => setWantsReminders(buyer, { wanted: false })],
  [
    "the account is disabled",
    async ({ actor }) => setUserActive(await shop.user("admin"), { userId: actor.userId, isActive: false }),
  ],
  ["the owner turns reminders off", async () => setReminders(await shop.user("admin"), { isOn: false })],
])("a reminder that waits for the mail server is not sent after %s", async (_, change) => {
  const buyer = await shop.user();
  const pass = await passEnding(buyer, 3);
  const other = await shop.user();
  await passEnding(other, 3);
  expect(await remindBuyers(system())).toBe(2);
  await change(buyer, pass);
  const recipients = (await sendAfter(MINUTE)).map(({ to }) => to);
  expect(recipients).not.toContain(buyer.actor.email);
  if ((await readReminderSetting(await shop.user("admin"))).isOn)
    expect(recipients).toEqual([other.actor.email]);
});

test("a pass of seven days is asked about once, and its buyer's passes are not locked again", async () => {
  const buyer = await shop.user();
  await passEnding(buyer, 1, { startsAt: addDays(shop.clock.now(), -6) });
  expect(await remindBuyers(system())).toBe(1);
  await db.transaction(async (tx) => {
    await tx.select().from(userPurchases).where(eq(userPurchases.userId, buyer.actor.userId)).for("update");
    // It would wait for this lock.
    expect(await remindBuyers(system())).toBe(0);
  });
});

test("a purchase in test mode is no renewal of a pass that was paid", async () => {
  const buyer = await shop.user();
  const { tool, expiresAt } = await passEnding(buyer, 3);
  await shop.pass(buyer, {
    toolId: tool.id,
    toolName: tool.name,
    testMode: true,
    startsAt: expiresAt,
    expiresAt: addDays(expiresAt, 30),
  });
  expect(await remindBuyers(system())).toBe(1);
});

test("the owner turns reminders off and on; turned on again, they mail nothing of the past; others are refused", async () => {
  const admin = await shop.user("admin");
  expect(await readReminderSetting(admin)).toEqual({ isOn: true });
  for (const other of [shop.visitor(), await shop.user()]) {
    await expect(setReminders(other, { isOn: false })).rejects.toMatchObject({ name: "DomainError" });
    await expect(readReminderSetting(other)).rejects.toMatchObject({ name: "DomainError" });
  }
  await expect(setReminders(admin, { isOn: "maybe" })).rejects.toMatchObject({ code: "invalid-input" });
  await setReminders(admin, { isOn: false });
  await passEnding(await shop.user(), 3);
  expect(await remindBuyers(system())).toBe(0);
  await setReminders(admin, { isOn: true });
  await setReminders(admin, { isOn: true });
  expect(await remindBuyers(system())).toBe(0);
  shop.clock.advance(3 * DAY);
  expect(await remindBuyers(system())).toBe(1);
});

test("the link of a mail stops the reminders to its account, and no other link does", async () => {
  const [buyer, other] = [await shop.user(), await shop.user()];
  for (const one of [buyer, other]) await passEnding(one, 3);
  const link = Object.fromEntries(new URL(stopRemindersUrl(shop.visitor(), buyer.actor.userId)).searchParams);
  expect(isStopRemindersLink(shop.visitor(), link)).toBe(true);
  expect(await readWantsReminders(buyer)).toBe(true);
  for (const wrong of [
    {},
    { ...link, account: other.actor.userId },
    { ...link, key: "0".repeat(64) },
    { ...link, key: "é".repeat(64) },
    { ...link, key: "" },
  ]) {
    expect(isStopRemindersLink(shop.visitor(), wrong)).toBe(false);
    await expect(stopReminders(shop.visitor(), wrong)).rejects.toMatchObject({
      code: "reminder-link-invalid",
    });
  }
  for (let press = 0; press < 2; press++) await stopReminders(shop.visitor(), link);
  expect([await readWantsReminders(buyer), await readWantsReminders(other)]).toEqual([false, true]);
  expect(await remindBuyers(system())).toBe(1);
  expect((await mails()).map(({ recipient }) => recipient)).toEqual([other.actor.email]);
});

test("a person turns the own reminders off and on, and a visitor nothing", async () => {
  const buyer = await shop.user();
  await passEnding(buyer, 3);
  await expect(setWantsReminders(shop.visitor(), { wanted: false })).rejects.toMatchObject({
    code: "unauthenticated",
  });
  await expect(setWantsReminders(buyer, { wanted: "" })).rejects.toMatchObject({ code: "invalid-input" });
  await setWantsReminders(buyer, { wanted: false });
  expect(await remindBuyers(system())).toBe(0);
  await setWantsReminders(buyer, { wanted: true });
  expect(await remindBuyers(system())).toBe(1);
});

test("a reminder is in the language of its buyer, and its mail program can stop them with one press", async () => {
  const buyer = await shop.user();
  await db.update(users).set({ language: "hi" }).where(eq(users.id, buyer.actor.userId));
  await passEnding(buyer, 3);
  await remindBuyers(system());
  await sendQueuedMail(system());
  expect(sent).toMatchObject([
    { to: buyer.actor.email, unsubscribeUrl: stopRemindersUrl(shop.system(), buyer.actor.userId) },
  ]);
  expect(sent[0]?.text).toMatch(/[\u0900-\u097f]/);
});
