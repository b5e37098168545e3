import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Context } from "#core/context.ts";
import { systemClock } from "#core/time.ts";
import { couponCodes } from "#db/tables/catalog.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { adminRequest } from "#tests/fixtures/admin-request.ts";
import { routeArguments } from "#tests/fixtures/admin-route.ts";
import { openTestShop, withOldPassword } from "#tests/fixtures/open-test-shop.ts";
import { loader as loadUsage } from "./coupon-usage.ts";
import { action, loader } from "./route.tsx";

const shop = openTestShop(await freshDatabase(), { clock: systemClock });
let admin: Context;
let tool: Awaited<ReturnType<typeof shop.tool>>;
beforeAll(async () => {
  admin = await shop.user("admin");
  tool = await shop.tool({ name: "Canva" });
});
afterAll(() => shop.close());

const load = (ctx: Context, search?: string) =>
  loader(routeArguments(ctx, "/admin/coupons", search === undefined ? {} : { search }));
async function post(ctx: Context, fields: Record<string, string>) {
  const { data, init } = await action(routeArguments(ctx, "/admin/coupons", { fields }));
  return { status: init?.status ?? 200, ...data };
}
const form = (code: string) => ({
  code,
  toolId: tool.id,
  discountPercentage: "20",
  usageLimit: "",
  expiresAt: "",
  isActive: "on",
});
const rowOf = async (code: string) =>
  (await shop.db.select().from(couponCodes).where(eq(couponCodes.code, code)))[0];

test("the tab of coupon codes gives a visitor and a buyer no data", async () => {
  expect(await load(shop.visitor())).toBeNull();
  expect(await load(await shop.user())).toBeNull();
});

test("the tab of coupon codes gives an admin the list, and the tools to filter by", async () => {
  const coupon = await shop.coupon(tool.id);
  expect(await load(admin, `?q=${coupon.code}`)).toMatchObject({
    list: { rows: [{ code: coupon.code, toolName: "Canva", timesUsed: 0 }], total: 1, opened: null },
    tools: [{ id: tool.id, name: "Canva" }],
  });
});

test("the uses of a coupon are shown to an admin only, and an unknown code is said", async () => {
  const coupon = await shop.coupon(tool.id);
  const open = async (ctx: Context, code: string) => {
    const args = adminRequest(ctx, { pattern: "/admin/coupons/:code/usage", params: { code } });
    const { data, init } = await loadUsage(args);
    return { status: init?.status ?? 200, ...data };
  };
  expect(await open(shop.visitor(), coupon.code)).toMatchObject({ status: 401, ok: false });
  expect(await open(await shop.user(), coupon.code)).toMatchObject({ status: 403, ok: false });
  expect(await open(admin, coupon.code.toLowerCase())).toMatchObject({
    status: 200,
    value: { timesUsed: 0, latest: [] },
  });
  expect(await open(admin, "NONE")).toMatchObject({ status: 404, code: "coupon-missing" });
  expect(await open(admin, "x".repeat(300))).toMatchObject({ ok: false, code: "invalid-input" });
});

test("an admin creates, updates and deletes a coupon and reads the messages of the requirements", async () => {
  expect(await post(admin, { intent: "create", ...form("first") })).toMatchObject({
    status: 200,
    ok: true,
    message: "Coupon code created successfully!",
  });
  const { id = "" } = (await rowOf("FIRST")) ?? {};
  const changes = { ...form("first"), id, version: "1", discountPercentage: "30" };
  expect(await post(admin, { intent: "update", ...changes })).toMatchObject({
    ok: true,
    message: "Coupon code updated successfully!",
  });
  expect(await post(admin, { intent: "update", ...changes })).toMatchObject({
    status: 409,
    ok: false,
    code: "changed-meanwhile",
  });
  expect(await rowOf("FIRST")).toMatchObject({ discountPercentage: 30, version: 2 });
  expect(await post(admin, { intent: "delete", id })).toMatchObject({
    ok: true,
    message: "Coupon code deleted successfully!",
  });
  expect(await rowOf("FIRST")).toMatchObject({ isActive: false });
  expect(await post(admin, { intent: "delete", id })).toMatchObject({
    status: 404,
    ok: false,
    message: "Coupon not found",
  });
});

test("a mistake in a coupon is reported for its field, and nothing is stored", async () => {
  const refused = await post(admin, { intent: "create", ...form("WRONG"), discountPercentage: "0" });
  expect(refused).toMatchObject({
    status: 422,
    fields: { discountPercentage: ["Enter a discount from 1 to 100 percent."] },
  });
  expect(await rowOf("WRONG")).toBeUndefined();
});

test("a fault in the tab of coupon codes shows the message of the requirements and no detail", async () => {
  const db = new Proxy(shop.db, {
    get() {
      throw new Error("secret detail");
    },
  });
  const messages: unknown[] = [];
  for (const intent of ["create", "update", "delete"]) {
    const fields = { intent, ...form("FAULT"), id: tool.id, version: "1" };
    messages.push(await post({ ...admin, db }, fields));
  }
  expect(messages).toMatchObject([
    { status: 500, ok: false, message: "Failed to create coupon code" },
    { status: 500, ok: false, message: "Failed to update coupon code" },
    { status: 500, ok: false, message: "Failed to delete coupon code" },
  ]);
});

test("a deletion of a coupon asks for the password when its last entry is more than 15 minutes ago", async () => {
  const { id } = await shop.coupon(tool.id);
  expect(await post(withOldPassword(admin), { intent: "delete", id })).toMatchObject({
    status: 403,
    ok: false,
    code: "password-needed",
  });
  expect(await shop.couponOf(id)).toMatchObject({ deletedAt: null });
});

test("a visitor and a buyer are refused every change of a coupon, and nothing changes", async () => {
  const coupon = await shop.coupon(tool.id);
  const changes = { ...form(coupon.code), id: coupon.id, version: "1", discountPercentage: "99" };
  const before = await shop.db.$count(couponCodes);
  for (const [ctx, status] of [
    [shop.visitor(), 401],
    [await shop.user(), 403],
  ] as const) {
    for (const intent of ["create", "update", "delete"]) {
      expect(await post(ctx, { intent, ...changes })).toMatchObject({ status, ok: false });
    }
  }
  expect(await shop.db.$count(couponCodes)).toBe(before);
  expect(await shop.couponOf(coupon.id)).toEqual(coupon);
});
