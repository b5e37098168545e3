import { and, eq, isNull } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tools } from "#db/tables/catalog.ts";
import { startPaidCheckout, withOldPassword } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { createAccessCode } from "../../access-codes/manage-access-codes.server.ts";
import { revealAccessCode } from "../../access-codes/reveal-access-code.server.ts";
import { confirmCheckout } from "../../checkout/checkout-status.server.ts";
import { expireHolds } from "../../checkout/end-checkout.server.ts";
import { startCheckout } from "../../checkout/start-checkout.server.ts";
import type { Context } from "../../context.ts";
import { listMyPasses } from "../../passes/list-my-passes.server.ts";
import { settleOrder } from "../../payments/settle-order.server.ts";
import { MINUTE } from "../../time.ts";
import { getToolPage } from "../../tool-pages/get-tool-page.server.ts";
import { listActiveTools } from "../on-sale.server.ts";
import { deleteTool, updateTool } from "./manage-tools.server.ts";

let shop: SandboxShop;
let admin: Context;
beforeAll(async () => {
  shop = await startSandboxShop();
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

async function addTool() {
  const tool = await shop.tool();
  const servers = [{ id: `${tool.slug}-server-1`, name: "Server 1", url: null }];
  await shop.db.update(tools).set({ servers }).where(eq(tools.id, tool.id));
  await createAccessCode(admin, {
    toolId: tool.id,
    serverName: "Server 1",
    simpleCode: tool.slug,
    isActive: true,
  });
  return { ...tool, servers };
}

type TestTool = Awaited<ReturnType<typeof addTool>>;

async function buy(tool: TestTool) {
  const buyer = await shop.user();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug });
  await confirmCheckout(buyer, await shop.payAtGateway(gatewayOrderId));
  return { buyer, purchaseId };
}

const editOf = (tool: TestTool, changes: object) => ({
  toolId: tool.id,
  version: 1,
  name: tool.name,
  description: tool.description,
  isActive: true,
  validityDays: 30,
  price: "149",
  availableStock: 5,
  shownStock: 5,
  servers: tool.servers,
  ...changes,
});

test("a deleted tool is gone from the catalogue and cannot be bought, and the deletion is audited", async () => {
  const tool = await addTool();
  await deleteTool(admin, { toolId: tool.id });
  expect((await listActiveTools(shop.visitor())).map(({ slug }) => slug)).not.toContain(tool.slug);
  await expect(startCheckout(await shop.user(), { slug: tool.slug })).rejects.toMatchObject({
    code: "tool-not-found",
  });
  const events = await shop.auditsOf(tool.id);
  expect(events).toMatchObject([{ action: "tool.deleted", details: { before: { name: tool.name } } }]);
  await expect(deleteTool(admin, { toolId: tool.id })).rejects.toMatchObject({ code: "tool-not-found" });
  await expect(updateTool(admin, editOf(tool, { version: 2 }))).rejects.toMatchObject({
    code: "tool-not-found",
  });
});

test("deleting a tool needs a password that was entered in the last 15 minutes", async () => {
  const tool = await addTool();
  const late = withOldPassword(admin);
  await expect(deleteTool(late, { toolId: tool.id })).rejects.toMatchObject({ code: "password-needed" });
  expect(await shop.db.$count(tools, and(eq(tools.id, tool.id), isNull(tools.deletedAt)))).toBe(1);
});

test("a deleted tool keeps its page, servers and codes for a pass that still runs", async () => {
  const tool = await addTool();
  const { buyer } = await buy(tool);
  await deleteTool(admin, { toolId: tool.id });
  expect(await getToolPage(buyer, { slug: tool.slug })).toMatchObject({
    access: "granted",
    servers: [{ name: "Server 1", codeVersion: expect.any(String) }],
  });
  const server = { page: tool.slug, serverId: `${tool.slug}-server-1` };
  expect(await revealAccessCode(buyer, server)).toMatchObject({ simpleCode: tool.slug });
  expect((await listMyPasses(buyer)).active).toMatchObject([{ toolName: tool.name }]);
  expect(await getToolPage(await shop.user(), { slug: tool.slug })).toMatchObject({ access: "required" });
});

test("an open checkout of a deleted tool can be paid and becomes a pass, because it keeps its unit of stock", async () => {
  const tool = await addTool();
  const buyer = await shop.user();
  const { gatewayOrderId } = await startPaidCheckout(buyer, { slug: tool.slug });
  await deleteTool(admin, { toolId: tool.id });
  await confirmCheckout(buyer, await shop.payAtGateway(gatewayOrderId));
  expect(await shop.purchasesOf(buyer)).toMatchObject([{ status: "completed", stockState: "used" }]);
});

test("a payment for a deleted tool that arrives after its hold has expired is refunded", async () => {
  const tool = await addTool();
  const buyer = await shop.user();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug });
  await deleteTool(admin, { toolId: tool.id });
  shop.clock.advance(16 * MINUTE);
  await expireHolds(shop.system());
  await shop.payAtGateway(gatewayOrderId);
  await settleOrder(shop.system(), { gatewayOrderId });
  expect(await shop.purchasesOf(buyer)).toMatchObject([{ status: "failed" }]);
  expect(await shop.refundsOf(purchaseId)).toMatchObject([{ amountPaise: 14_900, reason: "out-of-stock" }]);
});

test("changing a tool changes nothing of what past buyers bought", async () => {
  const tool = await addTool();
  const { buyer } = await buy(tool);
  const before = await shop.purchasesOf(buyer);
  await updateTool(admin, editOf(tool, { name: "Another Name", price: "999", validityDays: 1 }));
  expect(await shop.purchasesOf(buyer)).toEqual(before);
  expect((await listMyPasses(buyer)).active).toHaveLength(1);
  expect(await getToolPage(buyer, { slug: tool.slug })).toMatchObject({ access: "granted" });
});

test("an open checkout keeps its price when the tool is changed", async () => {
  const tool = await addTool();
  const buyer = await shop.user();
  const { gatewayOrderId } = await startPaidCheckout(buyer, { slug: tool.slug });
  await updateTool(admin, editOf(tool, { price: "999", validityDays: 1 }));
  await confirmCheckout(buyer, await shop.payAtGateway(gatewayOrderId));
  expect(await shop.purchasesOf(buyer)).toMatchObject([
    { status: "completed", amountPaise: 14_900, validityDays: 30 },
  ]);
});
