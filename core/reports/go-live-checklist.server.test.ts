import { readFileSync } from "node:fs";
import { eq } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mailMessages, settings } from "#db/tables/operations.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { createAccessCode } from "../access-codes/manage-access-codes.server.ts";
import { findAccountByEmail } from "../accounts/queries.server.ts";
import { resetAdminPassword } from "../accounts/set-up-admin.server.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { parseCatalogueFile } from "../catalog/catalogue-file/catalogue-file.ts";
import { STORE_SETTINGS_KEY } from "../catalog/store-settings.server.ts";
import { deleteTool } from "../catalog/tool-editing/manage-tools.server.ts";
import type { Context } from "../context.ts";
import { MailRefusedError } from "../mail/mail-templates.ts";
import { sendTestMail } from "../mail/manage-outbox.server.ts";
import { sendQueuedMail } from "../mail/send-queued-mail.server.ts";
import { MINUTE } from "../time.ts";
import { confirmSetup, readGoLiveChecklist } from "./go-live-checklist.server.ts";
import type { ChecklistItem } from "./go-live-checklist.ts";

let shop: SandboxShop;
let admin: Awaited<ReturnType<SandboxShop["user"]>>;
beforeAll(async () => {
  shop = await startSandboxShop();
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

const readItem = async (id: ChecklistItem["id"], ctx: Context = admin) =>
  (await readGoLiveChecklist(ctx)).find((item) => item.id === id);

test("only an admin may read the checklist", async () => {
  await expect(readGoLiveChecklist(shop.visitor())).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(readGoLiveChecklist(await shop.user())).rejects.toMatchObject({ code: "forbidden" });
});

test("a new shop has to set up tools, access codes, payments, resale rights, support numbers, its name and texts, mail and a backup", async () => {
  expect(await readGoLiveChecklist(admin)).toEqual([
    { id: "payments", mode: "test" },
    { id: "first-tool" },
    { id: "access-codes" },
    { id: "resale" },
    { id: "support-numbers", problem: "missing", setByVariable: false },
    { id: "name" },
    { id: "texts", pages: ["terms", "refunds", "privacy", "contact"], areDemo: false },
    { id: "mail", waiting: 0 },
    { id: "backup" },
  ]);
});

const saveStore = (store: object) =>
  shop.db
    .insert(settings)
    .values({ key: STORE_SETTINGS_KEY, value: store })
    .onConflictDoUpdate({ target: settings.key, set: { value: store } });

test("the name is done with another one, and a text with a text of its own; the rest is named", async () => {
  const store = { claims: {}, supportPhones: [] };
  await saveStore({ ...store, name: "Asha’s Shop", texts: { terms: "Be kind.", contact: "Write to us." } });
  expect(await readItem("name")).toBeUndefined();
  expect(await readItem("texts")).toEqual({ id: "texts", pages: ["refunds", "privacy"], areDemo: false });
  const texts = { terms: "Be kind.", refund: "Always.", privacy: "None of it.", contact: "Write to us." };
  await saveStore({ ...store, name: "Daypass", texts });
  expect(await readItem("name")).toBeDefined();
  expect(await readItem("texts")).toBeUndefined();
  await shop.db.delete(settings).where(eq(settings.key, STORE_SETTINGS_KEY));
});

test("an admin has to choose a password after the first start and after a reset on the server", async () => {
  const { email } = await resetAdminPassword(shop.system());
  const account = await findAccountByEmail(shop.db, email);
  const userId = account?.id ?? "";
  const owner = shop.contextFor({ kind: "admin", userId, email, sessionId: uuidv7() });
  const record = (action: string) =>
    recordAudit(owner, shop.db, { action, subjectType: "user", subjectId: userId });
  expect(await readItem("own-password", owner)).toBeDefined();
  expect(await readItem("own-password")).toBeUndefined();
  await record("account.password-changed");
  expect(await readItem("own-password", owner)).toBeUndefined();
  await record("admin.created");
  expect(await readItem("own-password", owner)).toBeDefined();
  await record("account.password-reset");
  expect(await readItem("own-password", owner)).toBeUndefined();
});

test("the item of the first tool is done with a tool, and access codes with a code, or without servers that need one", async () => {
  const plain = await shop.tool({ servers: [] });
  expect(await readItem("first-tool")).toBeUndefined();
  expect(await readItem("access-codes")).toBeUndefined();
  const tool = await shop.tool({ servers: [{ id: "server-1", name: "Server 1", url: null }] });
  expect(await readItem("access-codes")).toBeDefined();
  const code = { serverName: "Server 1", simpleCode: "CODE-1234", isActive: true };
  await createAccessCode(admin, { ...code, toolId: tool.id });
  expect(await readItem("access-codes")).toBeUndefined();
  await deleteTool(admin, { toolId: plain.id });
  await deleteTool(admin, { toolId: tool.id });
  expect(await readItem("first-tool")).toBeDefined();
});

test("the demo's numbers, texts, claims and link have to be replaced", async () => {
  const demo = new URL("../../db/seed/demo-catalogue.json", import.meta.url);
  const { store } = parseCatalogueFile(readFileSync(demo, "utf8"));
  await saveStore(store);
  expect(await readItem("texts")).toEqual({
    id: "texts",
    pages: ["terms", "refunds", "privacy", "contact"],
    areDemo: true,
  });
  const older = "Write to us on WhatsApp: the links are at the bottom of every page.";
  await saveStore({ ...store, texts: { ...store?.texts, contact: older } });
  expect(await readItem("texts")).toMatchObject({ pages: expect.arrayContaining(["contact"]) });
  await saveStore(store);
  expect(await readItem("support-numbers")).toMatchObject({ problem: "demo", setByVariable: false });
  expect(await readItem("claims")).toEqual({
    id: "claims",
    claims: ["4.9/5 average rating", "10K+ users", "50+ tools", "99% satisfaction"],
  });
  expect(await readItem("deals-channel")).toEqual({ id: "deals-channel", setByVariable: false });
});

test("numbers and a link that variables set are judged like stored ones", async () => {
  const withStore = (store: Partial<Context["store"]>) => ({ ...admin, store: { ...admin.store, ...store } });
  const own = withStore({ supportPhones: ["+919800000001"], dealsChannelUrl: "https://t.example/deals" });
  expect(await readItem("support-numbers", own)).toBeUndefined();
  expect(await readItem("deals-channel", own)).toBeUndefined();
  const demo = withStore({ supportPhones: ["+910000000001"], dealsChannelUrl: "https://example.com/x" });
  expect(await readItem("support-numbers", demo)).toMatchObject({ problem: "demo", setByVariable: true });
  expect(await readItem("deals-channel", demo)).toMatchObject({ setByVariable: true });
});

test("mail has to be set up while there is no mail server, and the mails that wait are counted", async () => {
  const mail = { recipient: "asha@example.com", kind: "password-reset", subject: "s", html: "h", text: "t" };
  await shop.db.insert(mailMessages).values([mail, mail, { ...mail, status: "sent" }]);
  expect(await readItem("mail")).toEqual({ id: "mail", waiting: 2 });
  const mailTransport = { send: () => Promise.resolve() };
  const withServer = { ...admin, ports: { ...admin.ports, mailTransport } };
  expect(await readItem("mail", withServer)).toBeUndefined();
});

test("the owner of a shop with a mail server sends a test mail, sees what became of it, and confirms that it arrived", async () => {
  let refuses = true;
  const send = async () => {
    if (refuses) throw new MailRefusedError("550 no such mailbox", { isPermanent: true });
  };
  const withServer = (ctx: Context) => ({ ...ctx, ports: { ...ctx.ports, mailTransport: { send } } });
  const owner = withServer(admin);
  const { email } = admin.actor;
  const readLast = async () => {
    const item = await readItem("test-mail", owner);
    return item?.id === "test-mail" ? item.last : undefined;
  };
  expect(await readItem("test-mail")).toBeUndefined();
  expect(await readLast()).toBe(null);
  expect(await sendTestMail(owner)).toEqual({ email });
  expect(await readLast()).toEqual({ status: "queued", recipient: email });
  await sendQueuedMail(withServer(shop.system()));
  expect(await readLast()).toEqual({ status: "failed", recipient: email });
  refuses = false;
  shop.clock.advance(MINUTE);
  await sendTestMail(owner);
  await sendQueuedMail(withServer(shop.system()));
  expect(await readLast()).toEqual({ status: "sent", recipient: email });
  await confirmSetup(admin, "test-mail");
  expect(await readLast()).toBeUndefined();
});

test("a test mail is for admins, and only with a mail server", async () => {
  const mailTransport = { send: () => Promise.resolve() };
  const withServer = (ctx: Context) => ({ ...ctx, ports: { ...ctx.ports, mailTransport } });
  await expect(sendTestMail(withServer(shop.visitor()))).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(sendTestMail(withServer(await shop.user()))).rejects.toMatchObject({ code: "forbidden" });
  await expect(sendTestMail(admin)).rejects.toMatchObject({ code: "changed-meanwhile" });
});

test.each([
  "resale",
  "backup",
  "claims",
  "name",
  "texts",
] as const)("the item of the checklist that the owner has confirmed is done: %s", async (item) => {
  expect(await readItem(item)).toBeDefined();
  await confirmSetup(admin, item);
  expect(await readItem(item)).toBeUndefined();
});
