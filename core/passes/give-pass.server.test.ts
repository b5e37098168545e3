import { eq } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { tools } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { settleOrder } from "../payments/settle-order.server.ts";
import { forgetFigures } from "../reports/figures.server.ts";
import { readDashboardStatistics } from "../reports/read-dashboard.server.ts";
import { addDays, DAY } from "../time.ts";
import { findActivePass } from "./access.server.ts";
import { assignTool, listAssignableTools } from "./give-pass.server.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

const codesOf = (results: PromiseSettledResult<unknown>[]) =>
  results.map((one) => (one.status === "fulfilled" ? "done" : String(one.reason.code ?? one.reason)));

test("assigning a tool gives a completed pass that starts now, takes a unit of stock and earns nothing", async () => {
  const admin = await shop.user("admin");
  const user = await shop.user();
  const tool = await shop.tool({ validityDays: 12 });
  const before = await readDashboardStatistics(admin);
  const { purchaseId, expiresAt } = await assignTool(admin, {
    userId: user.actor.userId,
    toolId: tool.id,
  });
  const now = shop.clock.now();
  expect(expiresAt).toEqual(addDays(now, 12));
  expect(await shop.purchasesOf(user)).toMatchObject([
    {
      id: purchaseId,
      userEmail: user.actor.email,
      toolId: tool.id,
      toolName: tool.name,
      status: "completed",
      startsAt: now,
      expiresAt,
      validityDays: 12,
      source: "admin",
      assignedBy: "admin",
      notes: "Assigned by admin",
      stockState: "used",
      listPricePaise: 14_900,
      amountPaise: 0,
      testMode: false,
    },
  ]);
  expect(await shop.stockOf(tool.id)).toBe(4);
  expect(await findActivePass(user, shop.db, { userId: user.actor.userId, toolId: tool.id })).toEqual({
    purchaseId,
    expiresAt,
  });
  forgetFigures(admin);
  const after = await readDashboardStatistics(admin);
  expect(after.totalPurchases).toBe(before.totalPurchases + 1);
  expect(after.totalRevenuePaise).toBe(before.totalRevenuePaise);
  const audits = await shop.auditsOf(purchaseId);
  expect(audits).toMatchObject([
    {
      action: "purchase.assigned",
      actorId: admin.actor.userId,
      details: { before: null, after: { userId: user.actor.userId, toolId: tool.id } },
    },
  ]);
});

test("assigning a tool that was created without a validity uses 30 days", async () => {
  const tool = await shop.tool();
  const user = await shop.user();
  const input = { userId: user.actor.userId, toolId: tool.id };
  const { expiresAt } = await assignTool(await shop.user("admin"), input);
  expect(expiresAt).toEqual(addDays(shop.clock.now(), 30));
});

test("assigning a tool is refused for a tool that the user has, by its id or by its name in any case", async () => {
  const admin = await shop.user("admin");
  const tool = await shop.tool({ name: `Canva ${uuidv7()}` });
  const user = await shop.user();
  const input = { userId: user.actor.userId, toolId: tool.id };
  await assignTool(admin, input);
  await expect(assignTool(admin, input)).rejects.toMatchObject({ code: "already-owned" });
  const imported = await shop.user();
  await shop.db.insert(userPurchases).values({
    userId: imported.actor.userId,
    userEmail: imported.actor.email,
    toolName: tool.name.toUpperCase(),
    validityDays: 30,
    listPricePaise: 0,
    amountPaise: 0,
    status: "active",
    source: "import",
    startsAt: shop.clock.now(),
    expiresAt: addDays(shop.clock.now(), 30),
  });
  await expect(assignTool(admin, { userId: imported.actor.userId, toolId: tool.id })).rejects.toMatchObject({
    code: "already-owned",
  });
  expect(await shop.stockOf(tool.id)).toBe(4);
});

test("a tool may be assigned again after the pass has expired", async () => {
  const admin = await shop.user("admin");
  const tool = await shop.tool({ validityDays: 1 });
  const user = await shop.user();
  const input = { userId: user.actor.userId, toolId: tool.id };
  await assignTool(admin, input);
  shop.clock.advance(DAY);
  await assignTool(admin, input);
  expect(await shop.purchasesOf(user)).toHaveLength(2);
});

test("assigning a tool is refused without stock, for a tool that is off sale, and for an account that cannot use it", async () => {
  const admin = await shop.user("admin");
  const user = await shop.user();
  const { userId } = user.actor;
  const soldOut = await shop.tool({ availableStock: 0 });
  const inactive = await shop.tool({ isActive: false });
  const deleted = await shop.tool({ deletedAt: new Date() });
  const refusals: [toolId: string, code: string][] = [
    [soldOut.id, "tool-out-of-stock"],
    [inactive.id, "tool-not-found"],
    [deleted.id, "tool-not-found"],
    [uuidv7(), "tool-not-found"],
    ["canva", "invalid-input"],
  ];
  for (const [toolId, code] of refusals) {
    await expect(assignTool(admin, { userId, toolId })).rejects.toMatchObject({ code });
  }
  expect(await shop.purchasesOf(user)).toEqual([]);
  const tool = await shop.tool();
  const input = { userId, toolId: tool.id };
  await shop.db.update(users).set({ isActive: false }).where(eq(users.id, userId));
  await expect(assignTool(admin, input)).rejects.toMatchObject({ code: "user-disabled" });
  await shop.db.update(users).set({ deletedAt: new Date() }).where(eq(users.id, userId));
  await expect(assignTool(admin, input)).rejects.toMatchObject({ code: "not-found" });
  expect(await shop.stockOf(tool.id)).toBe(5);
});

test("assigning a tool with five units sixty times in parallel makes five passes", async () => {
  const admin = await shop.user("admin");
  const tool = await shop.tool();
  const people = await Promise.all(Array.from({ length: 60 }, () => shop.user()));
  const results = await Promise.allSettled(
    people.map(({ actor }) => assignTool(admin, { userId: actor.userId, toolId: tool.id })),
  );
  const codes = codesOf(results);
  expect(codes.filter((code) => code === "done")).toHaveLength(5);
  expect(codes.filter((code) => code === "tool-out-of-stock")).toHaveLength(55);
  expect(await shop.stockOf(tool.id)).toBe(0);
  expect(await shop.db.$count(userPurchases, eq(userPurchases.toolId, tool.id))).toBe(5);
});

test("assigning the same tool to one user many times in parallel gives one pass", async () => {
  const admin = await shop.user("admin");
  const tool = await shop.tool();
  const user = await shop.user();
  const input = { userId: user.actor.userId, toolId: tool.id };
  const codes = codesOf(await Promise.allSettled(Array.from({ length: 12 }, () => assignTool(admin, input))));
  expect(codes.filter((code) => code === "done")).toHaveLength(1);
  expect(codes.filter((code) => code === "already-owned")).toHaveLength(11);
  expect(await shop.stockOf(tool.id)).toBe(4);
});

test("assigning a tool shares the stock with buyers who check out in parallel", async () => {
  const admin = await shop.user("admin");
  const tool = await shop.tool({ availableStock: 6 });
  const people = await Promise.all(Array.from({ length: 24 }, () => shop.user()));
  const codes = codesOf(
    await Promise.allSettled(
      people.map((person, n) =>
        n % 2 === 0
          ? assignTool(admin, { userId: person.actor.userId, toolId: tool.id })
          : startPaidCheckout(person, { slug: tool.slug }),
      ),
    ),
  );
  expect(codes.filter((code) => code === "done")).toHaveLength(6);
  expect(codes.filter((code) => code === "tool-out-of-stock")).toHaveLength(18);
  expect(await shop.stockOf(tool.id)).toBe(0);
});

test("assigning a tool gives one pass or one refund to a buyer whose payment arrives at the same time", async () => {
  const admin = await shop.user("admin");
  for (let round = 0; round < 6; round++) {
    const tool = await shop.tool();
    const buyer = await shop.user();
    const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug });
    await shop.payAtGateway(gatewayOrderId);
    const input = { userId: buyer.actor.userId, toolId: tool.id };
    const [assigned] = await Promise.allSettled([
      assignTool(admin, input),
      settleOrder(shop.system(), { gatewayOrderId }),
    ]);
    const passes = (await shop.purchasesOf(buyer)).filter(({ status }) => status === "completed");
    expect(passes).toHaveLength(1);
    expect(await shop.refundsOf(purchaseId)).toMatchObject(
      assigned.status === "fulfilled" ? [{ reason: "already-owned" }] : [],
    );
    expect(await shop.stockOf(tool.id)).toBe(4);
  }
});

test("the tools to assign are the active ones, each with whether the user has it", async () => {
  await shop.db.update(tools).set({ deletedAt: new Date() });
  const admin = await shop.user("admin");
  const user = await shop.user();
  const owned = await shop.tool({ name: "Owned", pricePaise: 20_000, availableStock: 3, validityDays: 12 });
  const other = await shop.tool({ name: "Other", pricePaise: 10_000, description: "Another tool." });
  await shop.tool({ isActive: false });
  const input = { userId: user.actor.userId };
  await assignTool(admin, { ...input, toolId: owned.id });
  expect(await listAssignableTools(admin, input)).toEqual([
    {
      id: other.id,
      slug: other.slug,
      name: "Other",
      description: "Another tool.",
      pricePaise: 10_000,
      pricingOptions: [],
      availableStock: 5,
      validityDays: 30,
      alreadyAssigned: false,
    },
    expect.objectContaining({ id: owned.id, availableStock: 2, validityDays: 12, alreadyAssigned: true }),
  ]);
  await expect(listAssignableTools(admin, { userId: uuidv7() })).rejects.toMatchObject({ code: "not-found" });
});

test("assigning a tool, and the list of tools to assign, are refused to a visitor and a buyer", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const input = { userId: buyer.actor.userId, toolId: tool.id };
  for (const operation of [assignTool, listAssignableTools]) {
    await expect(operation(buyer, input)).rejects.toMatchObject({ code: "forbidden" });
    await expect(operation(shop.visitor(), input)).rejects.toMatchObject({ code: "unauthenticated" });
  }
  expect(await shop.purchasesOf(buyer)).toEqual([]);
  expect(await shop.stockOf(tool.id)).toBe(5);
});
