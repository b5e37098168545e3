import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { unknownPayments } from "#db/tables/payments.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { type FakeGatewayShop, startFakeGatewayShop } from "#tests/fixtures/fake-gateway-shop.ts";
import { markRestored, payAndLose } from "#tests/fixtures/restored-shop.ts";
import { readRestoredShop } from "../backups/restored-shop.server.ts";
import { sellByHand } from "../checkout/sell-by-hand.server.ts";
import type { Context } from "../context.ts";
import { formatPaise } from "../money.ts";
import { getMyPurchase } from "../passes/list-my-purchases.server.ts";
import { auditLedger } from "../reports/audit-ledger.server.ts";
import { forgetFigures, readFigures } from "../reports/figures.server.ts";
import { HOUR, MINUTE } from "../time.ts";
import { processRefunds } from "./process-refunds.server.ts";
import { readRestoredOrders } from "./read-restored-orders.server.ts";
import { reconcileOrders } from "./reconcile-orders.server.ts";
import { listUnknownPayments, refundUnknownPayment } from "./unknown-payments.server.ts";

let shop: FakeGatewayShop;
let admin: Context;
beforeAll(async () => {
  shop = await startFakeGatewayShop(await freshDatabase());
  admin = await shop.user("admin");
});
beforeEach(async () => {
  // The orders of the test before are out of sight.
  shop.clock.advance(3 * HOUR);
  await shop.db.delete(unknownPayments);
  shop.fake.faults.clear();
  const now = shop.clock.now();
  await markRestored(shop.db, { backupAt: now, restoredAt: now, confirmedAt: now });
});
afterAll(() => shop.close());

const system = () => shop.contextFor({ kind: "system" }, "retry");

async function earnedPaise(): Promise<number> {
  const ctx = system();
  forgetFigures(ctx);
  return (await readFigures(ctx)).revenuePaise;
}

/** A payment for an order of ₹149 that the shop has lost, as it is listed after the restore. */
async function found(payment: Parameters<FakeGatewayShop["fake"]["pay"]>[1]) {
  const lost = await payAndLose(shop, { payment });
  await readRestoredOrders(system());
  const [listed] = (await listUnknownPayments(admin)).payments;
  if (!listed) throw new Error("no unknown payment was found");
  return { ...lost, listed };
}

const CASES = [
  ["with the fee on top", { buyerFeePaise: 352 }, 15_252, 352, 0],
  ["with an offer", { offerPaise: 1_490 }, 13_410, 0, 1_490],
] as const;

test.each(CASES)("an unknown payment %s becomes the pass of its order", async (...facts) => {
  const [, payment, amountPaise, buyerFeePaise, offerPaise] = facts;
  const { listed, buyer, tool } = await found(payment);
  expect(listed).toMatchObject({ amountPaise, orderAmountPaise: 14_900 });
  const before = await earnedPaise();
  const sale = {
    userId: "userId" in buyer.actor ? buyer.actor.userId : "",
    toolId: tool.id,
    way: "other",
    reference: listed.gatewayPaymentId,
  } as const;
  // The price of the order is not what was paid.
  await expect(sellByHand(admin, { ...sale, amount: "149" })).rejects.toMatchObject({
    fields: {
      amount: [`${formatPaise(amountPaise)} was paid with ${listed.gatewayPaymentId}. Enter this amount.`],
    },
  });
  const { purchaseId } = await sellByHand(admin, { ...sale, amount: String(amountPaise / 100) });
  expect((await earnedPaise()) - before).toBe(amountPaise - buyerFeePaise);
  expect(await getMyPurchase(buyer, { purchaseId })).toMatchObject({
    amountPaise: 14_900,
    paid: { amountPaise, buyerFeePaise, offerPaise },
  });
  // A poll of the order, which is known now, changes nothing.
  shop.clock.advance(6 * MINUTE);
  await reconcileOrders(system(), { all: true });
  expect((await earnedPaise()) - before).toBe(amountPaise - buyerFeePaise);
  expect((await auditLedger(system())).counts).toEqual({});
});

test.each(CASES)("a refund of an unknown payment %s gives back what was paid", async (...facts) => {
  const [, payment, amountPaise] = facts;
  const { listed, gatewayOrderId } = await found(payment);
  await refundUnknownPayment(admin, { id: listed.id });
  await processRefunds(system());
  expect(shop.fake.paymentsOf(gatewayOrderId)).toMatchObject([{ refundedPaise: amountPaise }]);
});

test.each([
  ["₹1", { amountPaise: 100 }],
  ["15 % less", { amountPaise: 12_665 }],
  ["1 paisa more", { amountPaise: 14_901 }],
  ["an offer in another currency", { currency: "USD", offerPaise: 1_490 }],
] as const)("an unknown payment of %s is not matched to its order", async (_, payment) => {
  const { listed } = await found(payment);
  expect(listed).toMatchObject({ orderAmountPaise: null });
});

test("the orders are read again when the gateway does not tell whether one is paid", async () => {
  await payAndLose(shop, { payment: { offerPaise: 1_490 } });
  const ordersReadAt = async () => (await readRestoredShop(shop.db))?.ordersReadAt ?? null;
  const before = await ordersReadAt();
  shop.fake.faults.add({ what: "status", status: 503, match: "order" });
  expect(await readRestoredOrders(shop.contextFor({ kind: "system" }))).toEqual({ found: 0 });
  expect(await ordersReadAt()).toEqual(before);
  shop.fake.faults.clear();
  expect(await readRestoredOrders(system())).toEqual({ found: 1 });
});

test("a refusal of the gateway to tell whether an order is paid hides no payment", async () => {
  await payAndLose(shop, { payment: { offerPaise: 1_490 } });
  shop.fake.faults.add({ what: "status", status: 400, match: "order" });
  expect(await readRestoredOrders(system())).toEqual({ found: 1 });
});
