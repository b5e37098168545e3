import { eq } from "drizzle-orm";
import { afterAll, describe, expect, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { tools } from "#db/tables/catalog.ts";
import { addDays } from "../time.ts";
import { getToolPage } from "./get-tool-page.server.ts";
import { now, openToolPageShop, passesThatOpenNothing } from "./testing/tool-page-shop.ts";

const shop = await openToolPageShop();
const { addPass, addTool, addUser, bundle, chat, contextOf, db } = shop;
afterAll(() => shop.close());

const chatPass = { toolId: chat.id, toolName: chat.name };
const required = { access: "required", toolName: "ChatGPT Pro" };
const page = (actor: Parameters<typeof contextOf>[0], slug = "chatgpt") =>
  getToolPage(contextOf(actor), { slug });

test("a running pass shows the tool, the time left and the servers, and no code", async () => {
  const buyer = await addUser();
  await addPass(buyer, chatPass);
  const shown = await page(buyer);
  expect(shown).toEqual({
    access: "granted",
    tool: { name: "ChatGPT Pro", slug: "chatgpt", description: "About chatgpt" },
    expiresAt: addDays(now, 29),
    servers: [
      { id: "chatgpt-server-1", name: "Server 1", url: "https://chat.example.com/", hasCode: true },
      { id: "chatgpt-server-2", name: "Server 2", url: null, hasCode: true },
      { id: "chatgpt-server-3", name: "Server 3", url: null, hasCode: false },
    ],
  });
  expect(JSON.stringify(shown)).not.toContain("CGPT");
});

describe("who is refused", () => {
  test("a visitor, and one whose account was closed or deleted", async () => {
    await expect(page({ kind: "visitor" })).rejects.toMatchObject({ code: "unauthenticated" });
    for (const state of [{ isActive: false }, { deletedAt: now }]) {
      const gone = await addUser();
      await addPass(gone, chatPass);
      await db.update(users).set(state).where(eq(users.id, gone.userId));
      await expect(page(gone)).rejects.toMatchObject({ code: "user-disabled" });
      await expect(page(gone, "grammar")).rejects.toMatchObject({ code: "user-disabled" });
    }
  });

  test("one without a pass, whatever others have", async () => {
    await addPass(await addUser(), chatPass);
    expect(await page(await addUser())).toEqual(required);
  });

  test.each(Object.entries(passesThatOpenNothing))("one whose pass is %s", async (_what, values) => {
    const buyer = await addUser();
    await addPass(buyer, { ...chatPass, ...values });
    expect(await page(buyer)).toEqual(required);
  });

  test("one with a pass of another tool", async () => {
    const buyer = await addUser();
    const other = await addTool("canva");
    await addPass(buyer, { toolId: other.id, toolName: "Canva" });
    expect(await page(buyer)).toEqual(required);
  });

  test("anyone, on a page that no tool has", async () => {
    await expect(page(await addUser(), "nothing-here")).rejects.toMatchObject({ code: "not-found" });
    await expect(page(shop.admin, "")).rejects.toMatchObject({ code: "invalid-input" });
  });
});

describe("what opens a page", () => {
  test.each([
    ["the tool itself", chatPass],
    ["a tool named for the page", { toolId: bundle.id, toolName: bundle.name }],
    ["a name given to the page, in any case", { toolId: null, toolName: "CHATGPT" }],
    ["an imported pass", { ...chatPass, status: "active", source: "import" }],
  ] as const)("%s", async (_what, values) => {
    const buyer = await addUser();
    await addPass(buyer, values);
    expect(await page(buyer)).toMatchObject({ access: "granted", expiresAt: addDays(now, 29) });
  });

  test("a pass does not open other pages", async () => {
    const buyer = await addUser();
    await addPass(buyer, chatPass);
    expect(await page(buyer, "bundle")).toEqual({ access: "required", toolName: "Everything" });
  });

  test("of several passes the one that ends last counts", async () => {
    const buyer = await addUser();
    await addPass(buyer, chatPass);
    await addPass(buyer, { toolId: bundle.id, toolName: bundle.name, expiresAt: addDays(now, 90) });
    expect(await page(buyer)).toMatchObject({ expiresAt: addDays(now, 90) });
  });

  test("a running pass, also when its tool was taken off sale or deleted", async () => {
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

  test("being the admin", async () => {
    expect(await page(shop.admin)).toMatchObject({ access: "granted", expiresAt: null });
  });

  test("signing in, for a free tool", async () => {
    expect(await page(await addUser(), "grammar")).toMatchObject({ access: "granted", expiresAt: null });
    await expect(page({ kind: "visitor" }, "grammar")).rejects.toMatchObject({ code: "unauthenticated" });
  });
});

test.each([
  [{ name: "razorpay", testMode: false }, "required"],
  [{ name: "razorpay", testMode: true }, "granted"],
  [{ name: "sandbox", testMode: true }, "granted"],
  [null, "granted"],
] as const)("with the gateway %o a test pass means access %s", async (gateway, access) => {
  const buyer = await addUser();
  await addPass(buyer, { ...chatPass, testMode: true });
  expect(await getToolPage(contextOf(buyer, gateway), { slug: "chatgpt" })).toMatchObject({ access });
});
