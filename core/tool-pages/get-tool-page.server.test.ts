import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { tools } from "#db/tables/catalog.ts";
import { inactivePasses, now, openToolPageShop } from "#tests/fixtures/tool-page-shop.ts";
import { createAccessCode } from "../access-codes/manage-access-codes.server.ts";
import { addDays } from "../time.ts";
import { getToolPage } from "./get-tool-page.server.ts";

const shop = await openToolPageShop();
const { addPass, addTool, addUser, admin, bundle, chat, contextOf, db } = shop;
afterAll(() => shop.close());

const chatPass = { toolId: chat.id, toolName: chat.name };
const required = {
  access: "required",
  toolName: "ChatGPT Pro",
  passEndedAt: null,
  revokedPass: null,
  onSale: true,
};
const server = (number: number) => ({
  id: `chatgpt-server-${number}`,
  name: `Server ${number}`,
  url: null,
  reportedAt: null,
  otherReports: 0,
});
const page = (actor: Parameters<typeof contextOf>[0], slug = "chatgpt") =>
  getToolPage(contextOf(actor), { slug });

test("a tool page lists no server of a tool that has only a shared sign-in, and the server of its first code", async () => {
  const dead = { id: "dead-server-1", name: "Server 1", url: null };
  const buyer = await addUser();
  for (const [slug, servers] of [
    ["sign-in-1", [dead]],
    ["sign-in-2", []],
  ] as const) {
    const tool = await addTool(slug, { credentialService: "Canva", servers: [...servers] });
    await addPass(buyer, { toolId: tool.id, toolName: tool.name });
    const shown = await page(buyer, slug);
    const signIn = "Press Copy email and Copy password, and sign in with them.";
    expect(shown).toMatchObject({
      servers: [],
      steps: { plain: [`Open ${slug}.`, signIn], withExtension: [`Open ${slug}.`, signIn] },
    });
    if (shown.access === "granted") expect(shown.steps.onPhone).toHaveLength(2);
    const code = { toolId: tool.id, serverName: "Server 1", simpleCode: `CODE-${slug}`, isActive: true };
    await createAccessCode(contextOf(admin), code);
    expect(await page(buyer, slug)).toMatchObject({
      servers: [{ name: "Server 1", codeVersion: expect.any(String) }],
    });
  }
});

test("a tool page shows the tool, the end of the pass and the servers, but no access code", async () => {
  const buyer = await addUser();
  await addPass(buyer, chatPass);
  const shown = await page(buyer);
  expect(shown).toEqual({
    access: "granted",
    tool: {
      name: "ChatGPT Pro",
      slug: "chatgpt",
      description: "About chatgpt",
      worksOn: [],
      launchUrl: null,
      onSale: true,
    },
    steps: {
      plain: expect.arrayContaining(["Press Open next to a server."]),
      withExtension: expect.arrayContaining(["Press Click next to a server."]),
      onPhone: expect.arrayContaining(["Press Show code next to a server, then Copy."]),
      toComputer: expect.arrayContaining([
        `On a computer, open the link to this page and sign in with ${buyer.email}.`,
      ]),
    },
    pass: {
      orderNumber: expect.stringMatching(/^[0-9A-Z]{8}$/),
      startsAt: addDays(now, -1),
      expiresAt: addDays(now, 29),
      renewedUntil: null,
    },
    servers: [
      { ...server(1), url: "https://chat.example.com/", codeVersion: expect.any(String) },
      { ...server(2), codeVersion: expect.any(String) },
      { ...server(3), codeVersion: null },
    ],
    canReport: true,
    credential: null,
  });
  expect(JSON.stringify(shown)).not.toContain("CGPT");
});

test("a tool page is refused to a visitor and to a disabled or deleted account", async () => {
  await expect(page({ kind: "visitor" })).rejects.toMatchObject({ code: "unauthenticated" });
  for (const state of [{ isActive: false }, { deletedAt: now }]) {
    const inactive = await addUser();
    await addPass(inactive, chatPass);
    await db.update(users).set(state).where(eq(users.id, inactive.userId));
    await expect(page(inactive)).rejects.toMatchObject({ code: "user-disabled" });
    await expect(page(inactive, "grammar")).rejects.toMatchObject({ code: "user-disabled" });
  }
});

test("a tool page is refused to a user without a pass, although another user has one", async () => {
  await addPass(await addUser(), chatPass);
  expect(await page(await addUser())).toEqual(required);
});

test.each(
  Object.entries(inactivePasses),
)("a tool page is refused to a user whose pass is %s", async (what, values) => {
  const buyer = await addUser();
  const purchaseId = randomUUID();
  await addPass(buyer, { id: purchaseId, ...chatPass, ...values });
  expect(await page(buyer)).toEqual({
    ...required,
    passEndedAt: what === "expired" ? now : null,
    revokedPass: "endedAt" in values ? { purchaseId, endedAt: now } : null,
  });
  expect(await page(await addUser())).toEqual(required);
});

test("a tool page is refused to a user with a pass of another tool", async () => {
  const buyer = await addUser();
  const other = await addTool("canva");
  await addPass(buyer, { toolId: other.id, toolName: "Canva" });
  expect(await page(buyer)).toEqual(required);
});

test("a refused tool page says the latest end of the passes that have expired", async () => {
  const buyer = await addUser();
  for (const days of [-9, -2, -5]) {
    const expiresAt = addDays(now, days);
    await addPass(buyer, { ...chatPass, startsAt: addDays(expiresAt, -1), expiresAt });
  }
  // The last two were ended too early and too late to say anything about the access that is missing now.
  await addPass(buyer, { ...chatPass, endedAt: addDays(now, -3), endedReason: "cancelled" });
  await addPass(buyer, { ...chatPass, expiresAt: addDays(now, -2), endedAt: now, endedReason: "refunded" });
  expect(await page(buyer)).toEqual({ ...required, passEndedAt: addDays(now, -2) });
  const purchaseId = randomUUID();
  await addPass(buyer, { id: purchaseId, ...chatPass, ...inactivePasses.refunded });
  expect(await page(buyer)).toEqual({
    ...required,
    passEndedAt: addDays(now, -2),
    revokedPass: { purchaseId, endedAt: now },
  });
  expect(await page(await addUser())).toEqual(required);
});

test.each([
  "deleted",
  "user-deleted",
  "superseded",
] as const)("a refused tool page says nothing about a pass that is %s", async (endedReason) => {
  const buyer = await addUser();
  await addPass(buyer, { ...chatPass, endedAt: now, endedReason });
  expect(await page(buyer)).toEqual(required);
});

test("a refused tool page says that its tool is no longer on sale", async () => {
  for (const [slug, state] of [
    ["no-longer-active", { isActive: false }],
    ["no-longer-there", { deletedAt: now }],
  ] as const) {
    const tool = await addTool(slug);
    await db.update(tools).set(state).where(eq(tools.id, tool.id));
    expect(await page(await addUser(), slug)).toMatchObject({ access: "required", onSale: false });
  }
});

test("a tool page is refused to everybody when no tool has its slug", async () => {
  await expect(page(await addUser(), "nothing-here")).rejects.toMatchObject({ code: "not-found" });
  await expect(page(shop.admin, "")).rejects.toMatchObject({ code: "invalid-input" });
});

test.each([
  ["a pass of its tool", chatPass],
  ["a pass of a tool with a grant", { toolId: bundle.id, toolName: bundle.name }],
  ["a pass of a tool name with a grant, in any case", { toolId: null, toolName: "CHATGPT" }],
  ["an imported pass", { ...chatPass, status: "active", source: "import" }],
] as const)("a tool page opens with %s", async (_what, values) => {
  const buyer = await addUser();
  await addPass(buyer, values);
  expect(await page(buyer)).toMatchObject({
    access: "granted",
    pass: { startsAt: addDays(now, -1), expiresAt: addDays(now, 29) },
  });
});

test("a tool page opens only with a pass for it, not with a pass of another page", async () => {
  const buyer = await addUser();
  await addPass(buyer, chatPass);
  expect(await page(buyer, "bundle")).toEqual({ ...required, toolName: "Everything" });
});

test("a tool page opens with an active pass beside any number of ended ones", async () => {
  const buyer = await addUser();
  await addPass(buyer, chatPass);
  const revoked = {
    ...chatPass,
    expiresAt: addDays(now, 60),
    endedAt: now,
    endedReason: "cancelled",
  } as const;
  for (let count = 0; count <= 100; count++) await addPass(buyer, revoked);
  expect(await page(buyer)).toMatchObject({ access: "granted", pass: { expiresAt: addDays(now, 29) } });
});

test("access to a tool page lasts until the latest pass ends", async () => {
  const buyer = await addUser();
  await addPass(buyer, chatPass);
  const longest = { startsAt: addDays(now, -5), expiresAt: addDays(now, 90) };
  await addPass(buyer, { toolId: bundle.id, toolName: bundle.name, ...longest });
  expect(await page(buyer)).toMatchObject({ pass: longest });
});

test("a tool page says until when passes that wait keep it open, without a gap", async () => {
  const buyer = await addUser();
  await addPass(buyer, chatPass);
  const renewedUntil = async (reader = buyer) => {
    const shown = await page(reader);
    return shown.access === "granted" ? shown.pass?.renewedUntil : undefined;
  };
  const renewal = (from: number, until: number) => ({
    startsAt: addDays(now, from),
    expiresAt: addDays(now, until),
  });
  await addPass(buyer, { toolId: bundle.id, toolName: bundle.name, ...renewal(30, 60) });
  await addPass(buyer, { ...chatPass, ...renewal(29, 40), endedAt: now, endedReason: "refunded" });
  expect(await renewedUntil()).toBeNull();
  await addPass(buyer, { ...chatPass, ...renewal(29, 36) });
  expect(await renewedUntil()).toEqual(addDays(now, 60));
  const other = await addUser();
  await addPass(other, chatPass);
  expect(await renewedUntil(other)).toBeNull();
});

test("a tool page opens with an active pass of a tool that is off sale or deleted", async () => {
  const buyer = await addUser();
  for (const [slug, state] of [
    ["off-sale", { isActive: false }],
    ["deleted", { deletedAt: now }],
  ] as const) {
    const tool = await addTool(slug);
    await addPass(buyer, { toolId: tool.id, toolName: tool.name });
    await db.update(tools).set(state).where(eq(tools.id, tool.id));
    expect(await page(buyer, slug)).toMatchObject({ access: "granted" });
    expect(await page(await addUser(), slug)).toMatchObject({ access: "required" });
  }
});

test("a tool page opens for an admin without a pass", async () => {
  expect(await page(shop.admin)).toMatchObject({ access: "granted", pass: null });
});

test("a tool page opens for every signed-in user when its tool is free", async () => {
  expect(await page(await addUser(), "grammar")).toMatchObject({ access: "granted", pass: null });
  await expect(page({ kind: "visitor" }, "grammar")).rejects.toMatchObject({ code: "unauthenticated" });
});

test.each([
  [{ name: "razorpay", testMode: false }, "required"],
  [{ name: "razorpay", testMode: true }, "granted"],
  [{ name: "sandbox", testMode: true }, "granted"],
  [null, "granted"],
] as const)("a test pass with the gateway %o gives access: %s", async (gateway, access) => {
  const buyer = await addUser();
  await addPass(buyer, { ...chatPass, testMode: true });
  expect(await getToolPage(contextOf(buyer, gateway), { slug: "chatgpt" })).toMatchObject({ access });
});
