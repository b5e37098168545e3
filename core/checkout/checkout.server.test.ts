import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { userPurchases } from "#db/tables/purchases.ts";
import { sandboxOrders } from "#db/tables/sandbox.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { reconcileOrders } from "../payments/reconcile-orders.server.ts";
import { settleOrder } from "../payments/settle-order.server.ts";
import { addDays, MINUTE } from "../time.ts";
import { confirmCheckout, refreshCheckoutStatus } from "./checkout-status.server.ts";
import { cancelCheckout, expireHolds } from "./end-checkout.server.ts";
import { startCheckout } from "./start-checkout.server.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

test("starting a checkout holds one unit for 15 minutes and creates one order at the option's price", async () => {
  const tool = await shop.tool({
    pricingOptions: [
      { label: "7 Days", validityDays: 7, pricePaise: 4900, originalPricePaise: null },
      { label: "30 Days", validityDays: 30, pricePaise: 14_900, originalPricePaise: 49_900 },
    ],
  });
  const buyer = await shop.user();
  const started = await startPaidCheckout(buyer, { slug: tool.slug, option: "7 Days" });
  expect(started).toMatchObject({ amountPaise: 4900, currency: "INR", testMode: true });
  expect(await shop.stockOf(tool.id)).toBe(4);
  const [purchase] = await shop.purchasesOf(buyer);
  expect(purchase).toMatchObject({
    status: "pending",
    stockState: "held",
    amountPaise: 4900,
    validityDays: 7,
  });
  expect(purchase?.holdEndsAt).toEqual(new Date(shop.clock.now().getTime() + 15 * MINUTE));
  const [order] = await shop.db
    .select()
    .from(sandboxOrders)
    .where(eq(sandboxOrders.id, started.gatewayOrderId));
  expect(order).toMatchObject({ amountPaise: 4900, receipt: purchase?.id });
});

test("starting a checkout returns the same order and holds one unit after a double click, in a second tab and after a reload", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const all = await Promise.all(
    Array.from({ length: 8 }, () => startPaidCheckout(buyer, { slug: tool.slug })),
  );
  expect(new Set(all.map(({ gatewayOrderId }) => gatewayOrderId)).size).toBe(1);
  expect(await shop.stockOf(tool.id)).toBe(4);
  expect(await shop.purchasesOf(buyer)).toHaveLength(1);
});

test("starting a checkout does not let a buyer pay twice when the payment was not reported yet", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const { gatewayOrderId } = await startPaidCheckout(buyer, { slug: tool.slug });
  await shop.payAtGateway(gatewayOrderId);
  await expect(startPaidCheckout(buyer, { slug: tool.slug })).rejects.toMatchObject({
    code: "already-owned",
  });
  expect((await shop.purchasesOf(buyer)).map(({ status }) => status)).toEqual(["completed"]);
});

test("starting a checkout with another option replaces the first one, and holds one unit in all", async () => {
  const tool = await shop.tool({
    pricingOptions: [
      { label: "7 Days", validityDays: 7, pricePaise: 4900, originalPricePaise: null },
      { label: "30 Days", validityDays: 30, pricePaise: 14_900, originalPricePaise: null },
    ],
  });
  const buyer = await shop.user();
  const first = await startPaidCheckout(buyer, { slug: tool.slug, option: "7 Days" });
  const second = await startPaidCheckout(buyer, { slug: tool.slug, option: "30 Days" });
  expect(second.gatewayOrderId).not.toBe(first.gatewayOrderId);
  expect(await shop.stockOf(tool.id)).toBe(4);
  const statuses = (await shop.purchasesOf(buyer)).map(({ status, failedReason }) => [status, failedReason]);
  expect(statuses.sort()).toEqual([
    ["failed", "replaced"],
    ["pending", null],
  ]);
});

test.each([
  ["unauthenticated", {}, "visitor"],
  ["contact-only", { contactOnly: true }, "user"],
  ["tool-is-free", { pricePaise: 0 }, "user"],
  ["tool-not-found", { isActive: false }, "user"],
  ["tool-not-found", { deletedAt: new Date() }, "user"],
  ["tool-out-of-stock", { availableStock: 0 }, "user"],
] as const)("starting a checkout is refused as %s for %o by a %s, and changes nothing", async (code, facts, who) => {
  const tool = await shop.tool(facts);
  const actor = who === "visitor" ? shop.visitor() : await shop.user();
  await expect(startPaidCheckout(actor, { slug: tool.slug })).rejects.toMatchObject({ code });
  expect(await shop.stockOf(tool.id)).toBe(tool.availableStock);
  expect(await shop.db.$count(userPurchases, eq(userPurchases.toolId, tool.id))).toBe(0);
});

test("starting a checkout refuses an unknown option and an unknown tool", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  await expect(startPaidCheckout(buyer, { slug: tool.slug, option: "1 Year" })).rejects.toMatchObject({
    code: "option-not-found",
  });
  await expect(startPaidCheckout(buyer, { slug: "nothing-here" })).rejects.toMatchObject({
    code: "tool-not-found",
  });
  await expect(startPaidCheckout(buyer, { slug: "a\0b" })).rejects.toMatchObject({ code: "invalid-input" });
});

test.each([
  ["whatsapp", "whatsapp"],
  ["x".repeat(200), "x".repeat(64)],
  ["asha@example.com", null],
  [["whatsapp"], null],
  [undefined, null],
])("a purchase keeps where its buyer came from, %j as %j, also when nothing is left to pay", async (cameFrom, expected) => {
  const buyer = await shop.user();
  const paid = await shop.tool();
  const free = await shop.tool();
  const { code } = await shop.coupon(free.id, { discountPercentage: 100 });
  const { gatewayOrderId } = await startPaidCheckout(buyer, { slug: paid.slug, cameFrom });
  await confirmCheckout(buyer, await shop.payAtGateway(gatewayOrderId));
  await startCheckout(buyer, { slug: free.slug, coupon: code, cameFrom });
  expect(await shop.purchasesOf(buyer)).toMatchObject([
    { status: "completed", amountPaise: 14_900, cameFrom: expected },
    { status: "completed", amountPaise: 0, cameFrom: expected },
  ]);
});

test("starting a checkout releases the unit when the gateway creates no order", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  shop.gatewayFaults.next = () => new Response("{}", { status: 503 });
  await expect(startPaidCheckout(buyer, { slug: tool.slug })).rejects.toMatchObject({
    code: "gateway-unavailable",
  });
  shop.gatewayFaults.next = null;
  expect(await shop.stockOf(tool.id)).toBe(5);
  expect(await startPaidCheckout(buyer, { slug: tool.slug })).toMatchObject({ amountPaise: 14_900 });
});

test("starting a checkout is refused without a gateway", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const closed = { ...buyer, ports: { ...buyer.ports, gateway: null } };
  await expect(startPaidCheckout(closed, { slug: tool.slug })).rejects.toMatchObject({
    code: "payments-not-set-up",
  });
  expect(await shop.stockOf(tool.id)).toBe(5);
});

test("paying for a checkout creates the pass before it answers, for the option's days, and consumes one unit", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug });
  const proof = await shop.payAtGateway(gatewayOrderId);
  const expiresAt = addDays(shop.clock.now(), 30);
  expect(await confirmCheckout(buyer, proof)).toMatchObject({ state: "success", expiresAt });
  expect(await confirmCheckout(buyer, proof)).toMatchObject({ state: "success", expiresAt });
  const [purchase] = await shop.purchasesOf(buyer);
  expect(purchase).toMatchObject({ id: purchaseId, status: "completed", stockState: "used", expiresAt });
  expect(await shop.stockOf(tool.id)).toBe(4);
  await expect(startPaidCheckout(buyer, { slug: tool.slug })).rejects.toMatchObject({
    code: "already-owned",
  });
});

test("paying for a checkout creates one pass when confirmation, webhook and reconciliation run at the same time", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const { gatewayOrderId } = await startPaidCheckout(buyer, { slug: tool.slug });
  const proof = await shop.payAtGateway(gatewayOrderId);
  await Promise.all([
    ...Array.from({ length: 10 }, () => confirmCheckout(buyer, proof)),
    ...Array.from({ length: 10 }, () => settleOrder(shop.system(), { gatewayOrderId })),
    reconcileOrders(shop.system(), { all: true }),
  ]);
  const purchases = await shop.purchasesOf(buyer);
  expect(purchases.map(({ status }) => status)).toEqual(["completed"]);
  expect(await shop.stockOf(tool.id)).toBe(4);
  expect(await shop.refundsOf(purchases[0]?.id ?? "")).toEqual([]);
});

test("a checkout is kept after a failed attempt to pay, and the next attempt can succeed", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug });
  await shop.failAtGateway(gatewayOrderId);
  expect(await refreshCheckoutStatus(buyer, { purchaseId })).toEqual({ state: "waiting" });
  expect(await shop.stockOf(tool.id)).toBe(4);
  expect(await confirmCheckout(buyer, await shop.payAtGateway(gatewayOrderId))).toMatchObject({
    state: "success",
  });
});

test("a confirmation is refused with an invalid signature, for another buyer's order and for a visitor", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const { gatewayOrderId } = await startPaidCheckout(buyer, { slug: tool.slug });
  const proof = await shop.payAtGateway(gatewayOrderId);
  const forged = { ...proof, signature: proof.signature.replace(/^./, (c) => (c === "0" ? "1" : "0")) };
  await expect(confirmCheckout(buyer, forged)).rejects.toMatchObject({ code: "payment-not-verified" });
  await expect(confirmCheckout(await shop.user(), proof)).rejects.toMatchObject({
    code: "purchase-not-found",
  });
  await expect(confirmCheckout(shop.visitor(), proof)).rejects.toMatchObject({ code: "unauthenticated" });
  expect((await shop.purchasesOf(buyer))[0]?.status).toBe("pending");
});

test("a valid confirmation of a payment that was not captured creates no pass", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const { gatewayOrderId } = await startPaidCheckout(buyer, { slug: tool.slug });
  const proof = await shop.payAtGateway(gatewayOrderId);
  shop.gatewayFaults.next = (request) =>
    request.url.endsWith("/payments")
      ? Response.json({ entity: "collection", count: 0, items: [] })
      : undefined;
  expect(await confirmCheckout(buyer, proof)).toEqual({ state: "confirming" });
  shop.gatewayFaults.next = null;
  expect((await shop.purchasesOf(buyer))[0]?.status).toBe("pending");
});

test("leaving a checkout releases the unit once, however often it is closed", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const { purchaseId } = await startPaidCheckout(buyer, { slug: tool.slug });
  const all = await Promise.all(Array.from({ length: 6 }, () => cancelCheckout(buyer, { purchaseId })));
  expect(all.every(({ state }) => state === "ended")).toBe(true);
  expect(await shop.stockOf(tool.id)).toBe(5);
});

test("leaving a checkout after paying keeps the pass", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const { purchaseId, gatewayOrderId } = await startPaidCheckout(buyer, { slug: tool.slug });
  await shop.payAtGateway(gatewayOrderId);
  expect(await cancelCheckout(buyer, { purchaseId })).toMatchObject({ state: "success" });
  expect(await shop.stockOf(tool.id)).toBe(4);
});

test("a checkout of another buyer can neither be closed nor shown", async () => {
  const tool = await shop.tool();
  const { purchaseId } = await startPaidCheckout(await shop.user(), { slug: tool.slug });
  for (const verb of [cancelCheckout, refreshCheckoutStatus]) {
    await expect(verb(await shop.user(), { purchaseId })).rejects.toMatchObject({
      code: "purchase-not-found",
    });
    await expect(verb(shop.visitor(), { purchaseId })).rejects.toMatchObject({ code: "unauthenticated" });
  }
  expect(await shop.stockOf(tool.id)).toBe(4);
});

test("the hold of a closed tab expires after 15 minutes, not before", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  await startPaidCheckout(buyer, { slug: tool.slug });
  shop.clock.advance(15 * MINUTE - 1);
  await expireHolds(shop.system());
  expect(await shop.stockOf(tool.id)).toBe(4);
  shop.clock.advance(1);
  await Promise.all([expireHolds(shop.system()), expireHolds(shop.system())]);
  expect(await shop.stockOf(tool.id)).toBe(5);
  expect((await shop.purchasesOf(buyer))[0]).toMatchObject({
    status: "failed",
    failedReason: "hold-ended",
  });
});

test("60 buyers at once of a tool with 3 in stock get exactly 3 passes", async () => {
  const tool = await shop.tool({ availableStock: 3 });
  const buyers = await Promise.all(Array.from({ length: 60 }, () => shop.user()));
  const ends = await Promise.all(
    buyers.map(async (buyer) => {
      try {
        const { gatewayOrderId } = await startPaidCheckout(buyer, { slug: tool.slug });
        return (await confirmCheckout(buyer, await shop.payAtGateway(gatewayOrderId))).state;
      } catch (error) {
        return error instanceof Error ? error.message : "?";
      }
    }),
  );
  expect(ends.filter((end) => end === "success")).toHaveLength(3);
  expect(ends.filter((end) => end === "tool-out-of-stock")).toHaveLength(57);
  expect(await shop.stockOf(tool.id)).toBe(0);
  const passes = await shop.db.select().from(userPurchases).where(eq(userPurchases.toolId, tool.id));
  expect(passes.filter(({ status }) => status === "completed")).toHaveLength(3);
});
