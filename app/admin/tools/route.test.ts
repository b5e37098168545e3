import { and, eq, isNull } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Context } from "#core/context.ts";
import { systemClock } from "#core/time.ts";
import { tools } from "#db/tables/catalog.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { withoutDatabase } from "#tests/fixtures/admin-request.ts";
import { routeArguments } from "#tests/fixtures/admin-route.ts";
import { openTestShop, withOldPassword } from "#tests/fixtures/open-test-shop.ts";
import { action, loader } from "./route.tsx";

const shop = openTestShop(await freshDatabase(), { clock: systemClock });
let admin: Context;
beforeAll(async () => {
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

const load = (ctx: Context, search = "") => loader(routeArguments(ctx, "/admin/tools", { search }));

async function post(ctx: Context, fields: Record<string, string>) {
  const { data, init } = await action(routeArguments(ctx, "/admin/tools", { fields }));
  return { status: init?.status ?? 200, ...data };
}

/** What the form 'Add Tool' sends. */
const form = (name: string) => ({
  name,
  description: "Films and clips.",
  validityDays: "12",
  price: "149.50",
  originalPrice: "",
  availableStock: "10",
  isActive: "on",
  worksOn: "laptop",
  "features[0]": " 4K ",
  "features[1]": "4K",
  "features[2]": "",
  "pricingOptions[0].label": "30 Days",
  "pricingOptions[0].validityDays": "30",
  "pricingOptions[0].price": "149.5",
  "pricingOptions[0].originalPrice": "",
  "servers[0].name": "Mumbai",
  "servers[0].url": "",
});

const rowOf = async (name: string) =>
  (
    await shop.db
      .select()
      .from(tools)
      .where(and(eq(tools.name, name), isNull(tools.deletedAt)))
  )[0];

test("the tab of tools gives a visitor and a buyer no data", async () => {
  expect(await load(shop.visitor())).toBeNull();
  expect(await load(await shop.user())).toBeNull();
});

test("the tab of tools gives an admin the list that the address names, and all tools by name for the form", async () => {
  await shop.tool({ name: "Zebra", pricePaise: 100 });
  await shop.tool({ name: "Adder", isActive: false });
  const data = await load(admin, "?q=zeb");
  expect(data?.list.rows.map(({ name }) => name)).toEqual(["Zebra"]);
  expect(data?.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["Adder", "Zebra"]));
});

test("an admin adds, updates and deletes a tool and reads the message of each", async () => {
  const sent = form("Video Suite");
  expect(await post(admin, { intent: "create", ...sent })).toMatchObject({
    status: 200,
    ok: true,
    message: "Tool added.",
  });
  const added = await rowOf("Video Suite");
  expect(added).toMatchObject({
    features: ["4K"],
    pricePaise: 14_950,
    availableStock: 10,
    version: 1,
    worksOn: ["laptop"],
    servers: [{ id: "video-suite-server-1", name: "Mumbai" }],
  });
  const toolId = added?.id ?? "";
  const edit = { intent: "update", ...sent, toolId, version: "1", shownStock: "10", availableStock: "12" };
  expect(await post(admin, edit)).toMatchObject({
    ok: true,
    message: "Tool updated.",
    value: { version: 2, availableStock: 12 },
  });
  expect(await post(admin, edit)).toMatchObject({ status: 409, ok: false, code: "changed-meanwhile" });
  expect(await post(admin, { intent: "delete", toolId })).toMatchObject({
    ok: true,
    message: "Tool deleted.",
  });
  expect(await rowOf("Video Suite")).toBeUndefined();
  expect(await post(admin, { intent: "delete", toolId })).toMatchObject({
    status: 404,
    ok: false,
    message: "Tool not found",
  });
});

test("a mistake in a tool is reported for its field, and nothing is stored", async () => {
  const wrong = { intent: "create", ...form("Wrong"), validityDays: "0", "servers[0].url": "javascript:1" };
  expect(await post(admin, wrong)).toMatchObject({
    status: 422,
    ok: false,
    fields: { validityDays: [expect.any(String)], "servers.0.url": [expect.any(String)] },
  });
  expect(await rowOf("Wrong")).toBeUndefined();
});

test("a deletion of a tool needs the password that was entered in the last 15 minutes", async () => {
  const { id, name } = await shop.tool({ name: "Kept" });
  const late = withOldPassword(admin);
  expect(await post(late, { intent: "delete", toolId: id })).toMatchObject({
    status: 403,
    code: "password-needed",
  });
  expect(await rowOf(name)).toMatchObject({ id, version: 1 });
});

test("a fault in the tab of tools is reported as what failed, without its details", async () => {
  const broken = withoutDatabase(admin);
  const { id } = await shop.tool({ name: "Unbroken" });
  const sent = form("Broken");
  const edit = { ...sent, toolId: id, version: "1", shownStock: "5" };
  expect(await post(broken, { intent: "create", ...sent })).toMatchObject({
    status: 500,
    message: "Failed to add tool",
  });
  expect(await post(broken, { intent: "update", ...edit })).toMatchObject({
    status: 500,
    message: "Failed to update tool",
  });
  expect(await post(broken, { intent: "delete", toolId: id })).toMatchObject({
    status: 500,
    message: "Failed to delete tool",
  });
  expect(await rowOf("Unbroken")).toMatchObject({ version: 1 });
});

test.each(["visitor", "user"] as const)("a %s can change no tool", async (kind) => {
  const ctx = kind === "user" ? await shop.user() : shop.visitor();
  const status = kind === "user" ? 403 : 401;
  const { id, name } = await shop.tool();
  const before = await shop.db.$count(tools);
  const edit = { ...form("Taken Over"), toolId: id, version: "1", shownStock: "5" };
  expect(await post(ctx, { intent: "create", ...form("Smuggled") })).toMatchObject({ status, ok: false });
  expect(await post(ctx, { intent: "update", ...edit })).toMatchObject({ status, ok: false });
  expect(await post(ctx, { intent: "delete", toolId: id })).toMatchObject({ status, ok: false });
  expect(await shop.db.$count(tools)).toBe(before);
  expect(await rowOf(name)).toMatchObject({ id, version: 1, deletedAt: null });
});
