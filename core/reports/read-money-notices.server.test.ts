import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestShop, type TestShop } from "../../tools/testing/shop.ts";
import type { Context } from "../context.ts";
import { DAY } from "../time.ts";
import { auditLedger } from "./audit-ledger.server.ts";
import { readMoneyNotices } from "./read-money-notices.server.ts";
import { readShopNotices } from "./read-shop-notices.server.ts";
import { writePayment } from "./testing/ledger-rows.ts";

let shop: TestShop;
let admin: Context;
beforeAll(async () => {
  shop = await startTestShop();
  admin = await shop.user("admin");
});
afterAll(() => shop.close());
beforeEach(async () => {
  await shop.db.execute(sql`truncate user_purchases, settings cascade`);
});

type Refund = NonNullable<Parameters<typeof writePayment>[1]>["refunds"];

const NOTHING = {
  failedRefunds: { refunds: [], total: 0 },
  overdueRefunds: { number: 0, paise: 0 },
  unaccounted: { number: 0, paymentIds: [] },
  soldOut: [],
};

const refunded = (refund: NonNullable<Refund>[number], purchase = {}, order = {}) =>
  writePayment(shop, { purchase, order, attempt: { outcome: "refund" }, refunds: [refund] });
const daysAgo = (days: number) => new Date(shop.clock.now().getTime() - days * DAY);

test("nobody but an admin reads them", async () => {
  await expect(readMoneyNotices(shop.visitor())).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(readMoneyNotices(await shop.user())).rejects.toMatchObject({ code: "forbidden" });
});

test("a shop in order has none, before the first look at the books and after", async () => {
  await writePayment(shop);
  await refunded({ reason: "duplicate-payment" });
  expect(await readMoneyNotices(admin)).toEqual(NOTHING);
  await auditLedger(shop.system());
  expect((await readShopNotices(admin)).money).toEqual(NOTHING);
});

test("failed refunds, oldest first, each with who has to get the money", async () => {
  const younger = await refunded({ status: "failed", createdAt: daysAgo(1), reason: "already-owned" });
  const older = await refunded(
    { status: "failed", createdAt: daysAgo(9), amountPaise: 4_900, reason: "already-owned" },
    { userEmail: "deleted", toolName: "Netflix" },
  );
  expect(await readMoneyNotices(admin)).toEqual({
    ...NOTHING,
    failedRefunds: {
      refunds: [
        {
          id: expect.any(String),
          paymentId: older.paymentId,
          purchaseId: older.purchaseId,
          toolName: "Netflix",
          email: null,
          amountPaise: 4_900,
        },
        {
          id: expect.any(String),
          paymentId: younger.paymentId,
          purchaseId: younger.purchaseId,
          toolName: "Canva",
          email: younger.email,
          amountPaise: 14_900,
        },
      ],
      total: 2,
    },
  });
});

test("of many failed refunds ten are told, and how many there are", async () => {
  for (let n = 0; n < 11; n++) await refunded({ status: "failed", createdAt: daysAgo(n) });
  const { failedRefunds } = await readMoneyNotices(admin);
  expect(failedRefunds.refunds).toHaveLength(10);
  expect(failedRefunds.total).toBe(11);
});

test("refunds not finished after a day", async () => {
  const reason = "already-owned";
  await refunded({ status: "requested", createdAt: daysAgo(1), reason });
  await refunded({ status: "processing", createdAt: daysAgo(3), amountPaise: 100, reason });
  await refunded({ status: "processing", createdAt: daysAgo(0.9), reason });
  await refunded({ status: "processed", createdAt: daysAgo(3), reason });
  expect(await readMoneyNotices(admin)).toEqual({ ...NOTHING, overdueRefunds: { number: 2, paise: 15_000 } });
});

test("payments that are not accounted for, as the last look found them", async () => {
  const { paymentId } = await writePayment(shop, { attempt: { outcome: null } });
  await auditLedger(shop.system());
  expect(await readMoneyNotices(admin)).toEqual({
    ...NOTHING,
    unaccounted: { number: 1, paymentIds: [paymentId] },
  });
});

test("payments of the last week that came when the tool was sold out", async () => {
  const reason = "out-of-stock";
  await refunded({ reason, createdAt: daysAgo(7) });
  await refunded({ reason, createdAt: daysAgo(1), amountPaise: 100 }, { toolName: "Netflix" });
  await refunded({ reason, createdAt: daysAgo(2) }, { toolName: "Netflix" });
  await refunded({ reason, createdAt: daysAgo(7.1) });
  expect((await readMoneyNotices(admin)).soldOut).toEqual([
    { toolName: "Netflix", number: 2, paise: 15_000 },
    { toolName: "Canva", number: 1, paise: 14_900 },
  ]);
});

test("test money is of no interest once a gateway takes real money", async () => {
  for (const testMode of [true, false]) {
    await refunded({ status: "failed", amountPaise: testMode ? 1 : 2 }, {}, { testMode });
    await refunded(
      { status: "requested", amountPaise: testMode ? 1 : 2, createdAt: daysAgo(2) },
      {},
      { testMode },
    );
  }
  const { gateway } = shop.ports;
  if (!gateway) throw new Error("the test shop has a gateway");
  const live = { ...admin, ports: { ...admin.ports, gateway: { ...gateway, testMode: false } } };
  expect(await readMoneyNotices(live)).toMatchObject({
    failedRefunds: { total: 1, refunds: [{ amountPaise: 2 }] },
    overdueRefunds: { number: 1, paise: 2 },
    soldOut: [{ number: 2, paise: 4 }],
  });
});
