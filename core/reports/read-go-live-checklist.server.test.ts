import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mailMessages, settings } from "#db/tables/operations.ts";
import { type SandboxShop, startSandboxShop } from "../../tools/testing/sandbox-shop.ts";
import { createAccessCode } from "../access-codes/create-access-code.server.ts";
import { parseCatalogueFile } from "../catalog/catalogue-file.ts";
import { STORE_SETTINGS_KEY } from "../catalog/seed-catalogue.server.ts";
import { deleteTool } from "../catalog/tool-editing/delete-tool.server.ts";
import type { Context } from "../context.ts";
import { confirmSetup } from "./confirm-setup.server.ts";
import type { ChecklistItem } from "./go-live-checklist.ts";
import { readGoLiveChecklist } from "./read-go-live-checklist.server.ts";

let shop: SandboxShop;
let admin: Context;
beforeAll(async () => {
  shop = await startSandboxShop();
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

const readItem = async (id: ChecklistItem["id"], ctx = admin) =>
  (await readGoLiveChecklist(ctx)).find((item) => item.id === id);

test("only an admin may read the checklist", async () => {
  await expect(readGoLiveChecklist(shop.visitor())).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(readGoLiveChecklist(await shop.user())).rejects.toMatchObject({ code: "forbidden" });
});

test("a new shop has to set up tools, access codes, payments, resale rights, support numbers, mail and a backup", async () => {
  expect(await readGoLiveChecklist(admin)).toEqual([
    { id: "payments", mode: "test" },
    { id: "first-tool" },
    { id: "access-codes" },
    { id: "resale" },
    { id: "support-numbers", problem: "missing", setByVariable: false },
    { id: "mail", waiting: 0 },
    { id: "backup" },
  ]);
});

test("the first tool is done with a tool, and access codes with a code, or without servers that need one", async () => {
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

test("the demo's numbers, claims and link have to be replaced", async () => {
  const demo = new URL("../../db/seed/demo-catalogue.json", import.meta.url);
  const { store } = parseCatalogueFile(readFileSync(demo, "utf8"));
  await shop.db.insert(settings).values({ key: STORE_SETTINGS_KEY, value: store });
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

test("payments are done once they are real", async () => {
  const { gateway } = admin.ports;
  const none = { ...admin, ports: { ...admin.ports, gateway: null } };
  expect(await readItem("payments", none)).toEqual({ id: "payments", mode: "not-set-up" });
  if (gateway === null) throw new Error("the test shop has a gateway");
  const live = { ...admin, ports: { ...admin.ports, gateway: { ...gateway, testMode: false } } };
  expect(await readItem("payments", live)).toBeUndefined();
});

test.each([
  "resale",
  "backup",
  "claims",
] as const)("what the owner has confirmed is done: %s", async (item) => {
  expect(await readItem(item)).toBeDefined();
  await confirmSetup(admin, item);
  expect(await readItem(item)).toBeUndefined();
});
