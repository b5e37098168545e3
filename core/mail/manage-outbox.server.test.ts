import { eq, isNotNull } from "drizzle-orm";
import { afterAll, beforeEach, expect, test } from "vitest";
import { reactMailTemplates, TEMPLATES } from "#adapters/mail-templates/react-mail-templates.tsx";
import { mailMessages } from "#db/tables/operations.ts";
import type { Language } from "#languages/languages.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { brokenMailTemplates, openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import type { Context } from "../context.ts";
import { assignTool } from "../passes/give-pass.server.ts";
import { MINUTE } from "../time.ts";
import type { MailTransport } from "./mail-templates.ts";
import { listMail, previewTemplate, readMail, sendMailAgain } from "./manage-outbox.server.ts";
import { sendQueuedMail } from "./send-queued-mail.server.ts";

const shop = openTestShop(await freshDatabase(), {
  clock: createManualClock(),
  ports: { mailTemplates: reactMailTemplates },
});
afterAll(() => shop.close());
const admin = await shop.user("admin");
const asha = await shop.user();
const ravi = await shop.user();

beforeEach(() => shop.db.delete(mailMessages).where(isNotNull(mailMessages.id)));

async function insertMail(values: Partial<typeof mailMessages.$inferInsert> = {}): Promise<string> {
  shop.clock.advance(MINUTE);
  const [row] = await shop.db
    .insert(mailMessages)
    .values({
      recipient: asha.actor.email,
      kind: "payment-refunded",
      subject: "Refund started",
      html: "<p>Hello</p>",
      text: "Hello",
      createdAt: shop.clock.now(),
      nextTryAt: shop.clock.now(),
      ...values,
    })
    .returning({ id: mailMessages.id });
  return row?.id ?? "";
}

const idsOf = async (input: Record<string, string>) =>
  (await listMail(admin, input)).rows.map(({ id }) => id);

test("the list of mail has the newest first, and is searched by a part of the recipient and filtered by status", async () => {
  const sent = await insertMail({ status: "sent", tries: 1 });
  const queued = await insertMail({ recipient: ravi.actor.email });
  const failed = await insertMail({ status: "failed", tries: 7, lastError: "452 mailbox full" });
  expect(await idsOf({})).toEqual([failed, queued, sent]);
  expect(await idsOf({ direction: "asc" })).toEqual([sent, queued, failed]);
  expect(await idsOf({ q: ravi.actor.email.slice(0, 30) })).toEqual([queued]);
  expect(await idsOf({ q: asha.actor.email.toUpperCase() })).toEqual([failed, sent]);
  expect(await idsOf({ q: "nobody@" })).toEqual([]);
  expect(await idsOf({ status: "queued" })).toEqual([queued]);
  expect(await idsOf({ status: "failed", q: "example.com" })).toEqual([failed]);
  expect(await idsOf({ status: "no such status" })).toHaveLength(3);
  expect((await listMail(admin, { status: "failed" })).rows).toMatchObject([
    { subject: "Refund started", tries: 7, lastError: "452 mailbox full", canBeSentAgain: true },
  ]);
});

test("the list of mail is paged on the server and contains no text", async () => {
  for (let n = 0; n < 51; n++) await insertMail({ html: "<p>the text</p>", text: "the text" });
  const first = await listMail(admin, {});
  expect([first.rows.length, first.total, first.totalIsExact]).toEqual([50, 51, true]);
  expect((await listMail(admin, { page: "2" })).rows).toHaveLength(1);
  expect(JSON.stringify(first)).not.toContain("the text");
});

test("the text of a mail is read from the outbox", async () => {
  const mailId = await insertMail();
  expect(await readMail(admin, { mailId })).toEqual({
    kind: "text",
    subject: "Refund started",
    html: "<p>Hello</p>",
    text: "Hello",
  });
});

test("the text of a mail about a purchase is rendered before it is sent", async () => {
  const tool = await shop.tool({ name: "Canva" });
  await assignTool(admin, { userId: asha.actor.userId, toolId: tool.id });
  const [mail] = (await listMail(admin, {})).rows;
  expect(await readMail(admin, { mailId: mail?.id ?? "" })).toMatchObject({
    kind: "text",
    text: expect.stringContaining(`/tools/${tool.slug}`),
  });
});

test.each([
  "queued",
  "sent",
  "failed",
] as const)("the text of a mail with a secret link is not shown when it is %s", async (status) => {
  const mailId = await insertMail({
    kind: "password-reset",
    subject: "Set a new password",
    status,
    html: "<a href='?token=secret'>",
    text: "?token=secret",
  });
  expect(await readMail(admin, { mailId })).toEqual({ kind: "secret", subject: "Set a new password" });
});

test("a text of a mail that cannot be made is reported, and the page stays", async () => {
  const tool = await shop.tool();
  await assignTool(admin, { userId: ravi.actor.userId, toolId: tool.id });
  const [mail] = (await listMail(admin, {})).rows;
  const broken = { ...admin, ports: { ...admin.ports, mailTemplates: brokenMailTemplates } };
  expect(await readMail(broken, { mailId: mail?.id ?? "" })).toMatchObject({ kind: "unavailable" });
});

test("the text of a mail that does not exist is not found", async () => {
  const mailId = "01234567-89ab-7cde-8f01-23456789abcd";
  await expect(readMail(admin, { mailId })).rejects.toMatchObject({ code: "not-found" });
  await expect(readMail(admin, { mailId: "x" })).rejects.toMatchObject({ code: "invalid-input" });
});

test("sending a mail again queues a failed mail with all its tries, is audited, and the mail then arrives once", async () => {
  const mailId = await insertMail({ status: "failed", tries: 7, lastError: "452 mailbox full" });
  const presses = await Promise.allSettled([1, 2, 3].map(() => sendMailAgain(admin, { mailId })));
  expect(presses.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect((await listMail(admin, {})).rows).toMatchObject([{ id: mailId, status: "queued", tries: 0 }]);
  expect(shop.triggeredJobs).toContain("send-mail");
  const audited = await shop.auditsOf(mailId);
  expect(audited).toMatchObject([{ action: "mail.queued-again", details: { kind: "payment-refunded" } }]);
  const arrived: string[] = [];
  const mailTransport: MailTransport = { send: async ({ to }) => void arrived.push(to) };
  const system = shop.system();
  const sending = { ...system, ports: { ...system.ports, mailTransport } };
  await sendQueuedMail(sending);
  await sendQueuedMail(sending);
  expect(arrived).toEqual([asha.actor.email]);
});

test.each<[string, Partial<typeof mailMessages.$inferInsert>]>([
  ["is queued", { status: "queued" }],
  ["was sent", { status: "sent" }],
  ["holds a link that no longer works", { status: "failed", kind: "password-reset" }],
])("sending a mail again is refused for a mail that %s", async (_, values) => {
  const mailId = await insertMail(values);
  await expect(sendMailAgain(admin, { mailId })).rejects.toMatchObject({ code: "changed-meanwhile" });
  const [row] = await shop.db.select().from(mailMessages);
  expect(row?.status).toBe(values.status);
});

test.each(
  Object.keys(TEMPLATES),
)("the preview of %s has the facts of an example and the name of the shop", async (kind) => {
  const preview = await previewTemplate(admin, { kind, language: "en" });
  expect(preview).toMatchObject({ kind: "text", text: expect.stringContaining("Daypass") });
  expect(await shop.db.$count(mailMessages)).toBe(0);
});

test("the preview of a mail is in the language that is asked for", async () => {
  const subjectIn = async (language: Language) =>
    (await previewTemplate(admin, { kind: "giveaway-won", language })).subject;
  expect(await subjectIn("en")).not.toMatch(/\p{Script=Devanagari}/u);
  expect(await subjectIn("hi")).toMatch(/\p{Script=Devanagari}/u);
});

test.each([
  { kind: "letter", language: "en" },
  { kind: "giveaway-won", language: "xx" },
])("the preview of an unknown mail is refused: %o", async (input) => {
  await expect(previewTemplate(admin, input)).rejects.toMatchObject({ code: "invalid-input" });
});

test("the outbox is for admins only", async () => {
  const mailId = await insertMail({ status: "failed" });
  const operations: Array<(ctx: Context) => Promise<unknown>> = [
    (ctx) => listMail(ctx, {}),
    (ctx) => readMail(ctx, { mailId }),
    (ctx) => sendMailAgain(ctx, { mailId }),
    (ctx) => previewTemplate(ctx, { kind: "purchase-receipt", language: "en" }),
  ];
  for (const operation of operations) {
    await expect(operation(shop.visitor())).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(operation(asha)).rejects.toMatchObject({ code: "forbidden" });
    await expect(operation(shop.system())).rejects.toMatchObject({ code: "unauthenticated" });
  }
  expect(await shop.db.$count(mailMessages, eq(mailMessages.status, "failed"))).toBe(1);
});
