import { eq } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Context } from "#core/context.ts";
import { assignTool } from "#core/passes/give-pass.server.ts";
import { users } from "#db/tables/accounts.ts";
import { devices } from "#db/tables/devices.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { adminRequest, withoutDatabase, withoutPassword } from "#tests/fixtures/admin-request.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { loader as loadTools } from "./assignable-tools.ts";
import { loader as loadPurchases } from "./purchased-tools.ts";
import { action, loader } from "./route.tsx";
import { loader as loadDeletion } from "./user-deletion.ts";

let shop: SandboxShop;
let admin: Context;
beforeAll(async () => {
  shop = await startSandboxShop();
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

let userId: string;
let toolId: string;
let purchaseId: string;
let deviceId: string;
beforeEach(async () => {
  userId = (await shop.user()).actor.userId;
  toolId = (await shop.tool()).id;
  const owned = await shop.tool({ name: `Owned ${uuidv7()}` });
  ({ purchaseId } = await assignTool(admin, { userId, toolId: owned.id }));
  deviceId = uuidv7();
  await shop.db.insert(devices).values({
    id: deviceId,
    userId,
    installationId: uuidv7(),
    name: "Chrome on Linux",
    tokenHash: deviceId,
    extensionVersion: "1.0.0",
    lastSeenAt: shop.clock.now(),
  });
});

const list = async (ctx: Context, search = {}) =>
  (await loader(adminRequest(ctx, { pattern: "/admin", params: {}, search })))?.list ?? null;

async function post(ctx: Context, fields: Record<string, string>) {
  const { data, init } = await action(adminRequest(ctx, { pattern: "/admin", params: {}, fields }));
  return { status: init?.status ?? 200, ...data };
}

const DIALOGS = {
  tools: (ctx: Context) =>
    loadTools(adminRequest(ctx, { pattern: "/admin/users/:userId/tools", params: { userId } })),
  purchases: (ctx: Context) =>
    loadPurchases(adminRequest(ctx, { pattern: "/admin/users/:userId/purchases", params: { userId } })),
  deletion: (ctx: Context) =>
    loadDeletion(adminRequest(ctx, { pattern: "/admin/users/:userId/deletion", params: { userId } })),
};

type Dialog = keyof typeof DIALOGS;

async function open(ctx: Context, dialog: Dialog) {
  const { data, init } = await DIALOGS[dialog](ctx);
  return { status: init?.status ?? 200, ...data };
}

/** What the requests of this page could change. */
const stateOf = async () => ({
  user: await shop.db.select().from(users).where(eq(users.id, userId)),
  purchases: await shop.purchasesOf({ actor: { userId } }),
  stock: await shop.stockOf(toolId),
  devices: await shop.db.select().from(devices).where(eq(devices.userId, userId)),
  audits: await shop.db.$count(auditEvents),
});

const ENDS_ON = { date: "31-12-2099" };

test("the users are listed for an admin only", async () => {
  expect(await list(shop.visitor())).toBeNull();
  expect(await list(await shop.user())).toBeNull();
  const { email } = (await shop.user()).actor;
  expect((await list(admin, { q: email }))?.rows).toMatchObject([{ email, isActive: true }]);
});

test.each([
  "tools",
  "purchases",
  "deletion",
] as const)("the dialogs of a user open for an admin only: %s", async (dialog) => {
  expect(await open(shop.visitor(), dialog)).toMatchObject({ status: 401, ok: false });
  expect(await open(await shop.user(), dialog)).toMatchObject({ status: 403, ok: false });
  expect(await open(admin, dialog)).toMatchObject({ status: 200, ok: true });
});

test.each([
  "tools",
  "purchases",
  "deletion",
] as const)("a user who is gone has no dialog: %s", async (dialog) => {
  userId = uuidv7();
  expect(await open(admin, dialog)).toMatchObject({ status: 404, ok: false, code: "not-found" });
  userId = "nonsense";
  expect(await open(admin, dialog)).toMatchObject({ status: 422, ok: false });
});

test.each([
  ["activate", () => ({ userId })],
  ["deactivate", () => ({ userId })],
  ["create-reset-link", () => ({ userId })],
  ["delete", () => ({ userId })],
  ["assign", () => ({ userId, toolId })],
  ["set-expiry", () => ({ purchaseId, ...ENDS_ON })],
  ["delete-purchase", () => ({ purchaseId })],
  ["release-device", () => ({ userId, deviceId })],
])("a user is changed by an admin only: %s", async (intent, fields) => {
  const before = await stateOf();
  for (const [ctx, status] of [
    [shop.visitor(), 401],
    [await shop.user(), 403],
  ] as const) {
    expect(await post(ctx, { intent, ...fields() })).toMatchObject({ status, ok: false });
  }
  expect(await stateOf()).toEqual(before);
});

test("an admin deactivates and activates a user", async () => {
  expect(await post(admin, { intent: "deactivate", userId })).toMatchObject({ ok: true });
  expect((await stateOf()).user).toMatchObject([{ isActive: false }]);
  expect(await post(admin, { intent: "activate", userId })).toMatchObject({ ok: true });
  expect((await stateOf()).user).toMatchObject([{ isActive: true }]);
});

test("an admin assigns a tool to a user once, and is told why the second time", async () => {
  const fields = { intent: "assign", userId, toolId };
  expect(await post(admin, fields)).toMatchObject({ ok: true, message: "Tool assigned." });
  expect(await post(admin, fields)).toMatchObject({
    status: 409,
    ok: false,
    code: "already-owned",
    message: "The user already has this tool.",
  });
  expect((await stateOf()).stock).toBe(4);
  expect(await open(admin, "tools")).toMatchObject({
    value: expect.arrayContaining([expect.objectContaining({ id: toolId, alreadyAssigned: true })]),
  });
});

test("an admin who assigns a tool is told that it is sold out, or that the user is inactive", async () => {
  const soldOut = await shop.tool({ availableStock: 0 });
  expect(await post(admin, { intent: "assign", userId, toolId: soldOut.id })).toMatchObject({
    message: "Tool is out of stock",
  });
  await post(admin, { intent: "deactivate", userId });
  expect(await post(admin, { intent: "assign", userId, toolId })).toMatchObject({
    message: "This account is inactive. Activate it first.",
  });
});

test.each([
  ["31/12/2099", "Please enter a valid date in DD-MM-YYYY format."],
  ["", "Please enter a valid date in DD-MM-YYYY format."],
  ["31-02-2099", "Please enter a valid date."],
])("an admin is told what is wrong with the expiry date %o", async (date, message) => {
  const before = await stateOf();
  expect(await post(admin, { intent: "set-expiry", purchaseId, date })).toMatchObject({
    ok: false,
    message,
    fields: { date: [message] },
  });
  expect(await stateOf()).toEqual(before);
});

test("an admin sets an expiry date and deletes a purchase", async () => {
  expect(await post(admin, { intent: "set-expiry", purchaseId, ...ENDS_ON })).toMatchObject({ ok: true });
  expect((await stateOf()).purchases).toMatchObject([{ expiresAt: new Date("2099-12-31T18:29:59Z") }]);
  expect(await post(admin, { intent: "delete-purchase", purchaseId })).toMatchObject({ ok: true });
  expect(await open(admin, "purchases")).toMatchObject({
    ok: true,
    value: { purchases: [] },
  });
});

test("an admin sees the devices of a user and releases one", async () => {
  expect(await open(admin, "purchases")).toMatchObject({
    value: { devices: [{ id: deviceId, name: "Chrome on Linux", extensionVersion: "1.0.0" }] },
  });
  const fields = { intent: "release-device", userId, deviceId };
  expect(await post(admin, fields)).toMatchObject({ ok: true, message: "Device released." });
  expect(await open(admin, "purchases")).toMatchObject({ value: { devices: [] } });
  expect(await post(admin, fields)).toMatchObject({ status: 404, ok: false, code: "not-found" });
});

test("an admin deletes a user after reading what goes with the account", async () => {
  expect(await open(admin, "deletion")).toMatchObject({ value: { passes: 1, checkouts: 0 } });
  expect(await post(admin, { intent: "delete", userId })).toMatchObject({ ok: true });
  expect(await post(admin, { intent: "delete", userId: uuidv7() })).toMatchObject({
    status: 404,
    ok: false,
  });
  expect((await stateOf()).user).toMatchObject([{ name: "", isActive: false }]);
});

test("an admin is asked for the password before a user or a purchase is deleted", async () => {
  const before = await stateOf();
  for (const fields of [
    { intent: "delete", userId },
    { intent: "delete-purchase", purchaseId },
  ]) {
    expect(await post(withoutPassword(admin), fields)).toMatchObject({
      ok: false,
      code: "password-needed",
    });
  }
  expect(await stateOf()).toEqual(before);
});

test.each([
  ["assign", "Failed to assign tool. Please try again."],
  ["delete", "Failed to delete user"],
  ["delete-purchase", "Failed to delete purchase"],
  ["set-expiry", "Failed to update purchase expiry"],
  ["release-device", "Failed to release device"],
])("an admin gets the message of a failed change of a user: %s", async (intent, message) => {
  const fields = { intent, userId, toolId, purchaseId, deviceId, ...ENDS_ON };
  expect(await post(withoutDatabase(admin), fields)).toMatchObject({ ok: false, message });
});

test("an admin is told that the purchases of a user could not be loaded", async () => {
  const answer = await open(withoutDatabase(admin), "purchases");
  expect(answer).toMatchObject({ ok: false, message: "Failed to load user purchases" });
});
