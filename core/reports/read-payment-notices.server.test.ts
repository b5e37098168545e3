import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { insertPayment } from "#tests/fixtures/insert-payment.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import type { Context } from "../context.ts";
import { DAY } from "../time.ts";
import { auditLedger } from "./audit-ledger.server.ts";
import { countAttention } from "./read-dashboard.server.ts";
import { readPaymentNotices } from "./read-payment-notices.server.ts";

let shop: SandboxShop;
let admin: Context;
beforeAll(async () => {
  shop = await startSandboxShop();
  admin = await shop.user("admin");
});
afterAll(() => shop.close());
beforeEach(async () => {
  await shop.db.execute(sql`truncate user_purchases, settings cascade`);
});

type Refund = NonNullable<Parameters<typeof insertPayment>[1]>["refunds"];

const NO_NOTICES = {
  disputes: { disputes: [], total: 0 },
  failedRefunds: { refunds: [], total: 0 },
  overdueRefunds: { number: 0, paise: 0 },
  promisedPayouts: { payouts: [], total: 0 },
  unaccounted: { number: 0, paymentIds: [] },
  soldOut: [],
};

const insertRefund = (refund: NonNullable<Refund>[number], purchase = {}, order = {}) =>
  insertPayment(shop, { purchase, order, attempt: { outcome: "refund" }, refunds: [refund] });
const daysAgo = (days: number) => new Date(shop.clock.now().getTime() - days * DAY);

test("only an admin may read payment notices", async () => {
  await expect(readPaymentNotices(shop.visitor())).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(readPaymentNotices(await shop.user())).rejects.toMatchObject({ code: "forbidden" });
});

test("there is no payment notice without a problem, before and after the first ledger audit", async () => {
  await insertPayment(shop);
  await insertRefund({ reason: "duplicate-payment" });
  expect(await readPaymentNotices(admin)).toEqual(NO_NOTICES);
  await auditLedger(shop.system());
  expect(await readPaymentNotices(admin)).toEqual(NO_NOTICES);
});

test("failed refunds need attention, one each; a refund that is on its way does not", async () => {
  const before = await countAttention(admin);
  await insertRefund({ status: "processing", reason: "already-owned" });
  expect(await countAttention(admin)).toBe(before);
  for (const userEmail of ["asha@example.com", "ravi@example.com"])
    await insertRefund({ status: "failed", reason: "already-owned" }, { userEmail });
  expect(await countAttention(admin)).toBe(before + 2);
});

test("the payment notices list failed refunds with their buyer, oldest first", async () => {
  const younger = await insertRefund({ status: "failed", createdAt: daysAgo(1), reason: "already-owned" });
  const older = await insertRefund(
    { status: "failed", createdAt: daysAgo(9), amountPaise: 4_900, reason: "already-owned" },
    { userEmail: "deleted", toolName: "Netflix" },
  );
  expect(await readPaymentNotices(admin)).toEqual({
    ...NO_NOTICES,
    failedRefunds: {
      refunds: [
        {
          id: expect.any(String),
          paymentId: older.paymentId,
          toolName: "Netflix",
          email: null,
          amountPaise: 4_900,
        },
        {
          id: expect.any(String),
          paymentId: younger.paymentId,
          toolName: "Canva",
          email: younger.email,
          amountPaise: 14_900,
        },
      ],
      total: 2,
    },
  });
});

test("the payment notices list ten failed refunds and count all", async () => {
  for (let n = 0; n < 11; n++) await insertRefund({ status: "failed", createdAt: daysAgo(n) });
  const { failedRefunds } = await readPaymentNotices(admin);
  expect(failedRefunds.refunds).toHaveLength(10);
  expect(failedRefunds.total).toBe(11);
});

test("the payment notices sum the refunds that are not finished after a day", async () => {
  const reason = "already-owned";
  await insertRefund({ status: "requested", createdAt: daysAgo(1), reason });
  await insertRefund({ status: "processing", createdAt: daysAgo(3), amountPaise: 100, reason });
  await insertRefund({ status: "processing", createdAt: daysAgo(0.9), reason });
  await insertRefund({ status: "processed", createdAt: daysAgo(3), reason });
  expect(await readPaymentNotices(admin)).toEqual({
    ...NO_NOTICES,
    overdueRefunds: { number: 2, paise: 15_000 },
  });
});

test("the payment notices name the unaccounted payments of the last ledger audit", async () => {
  const { paymentId } = await insertPayment(shop, { attempt: { outcome: null } });
  await auditLedger(shop.system());
  expect(await readPaymentNotices(admin)).toEqual({
    ...NO_NOTICES,
    unaccounted: { number: 1, paymentIds: [paymentId] },
  });
});

test("the payment notices sum the payments of the last seven days that arrived when the tool was sold out", async () => {
  const reason = "out-of-stock";
  await insertRefund({ reason, createdAt: daysAgo(7) });
  await insertRefund({ reason, createdAt: daysAgo(1), amountPaise: 100 }, { toolName: "Netflix" });
  await insertRefund({ reason, createdAt: daysAgo(2) }, { toolName: "Netflix" });
  await insertRefund({ reason, createdAt: daysAgo(7.1) });
  expect((await readPaymentNotices(admin)).soldOut).toEqual([
    { toolName: "Netflix", number: 2, paise: 15_000 },
    { toolName: "Canva", number: 1, paise: 14_900 },
  ]);
});

test("the payment notices exclude test mode once the gateway takes real money", async () => {
  for (const testMode of [true, false]) {
    await insertRefund({ status: "failed", amountPaise: testMode ? 1 : 2 }, {}, { testMode });
    await insertRefund(
      { status: "requested", amountPaise: testMode ? 1 : 2, createdAt: daysAgo(2) },
      {},
      { testMode },
    );
  }
  const { gateway } = shop.ports;
  if (!gateway) throw new Error("the test shop has a gateway");
  const live = { ...admin, ports: { ...admin.ports, gateway: { ...gateway, testMode: false } } };
  expect(await readPaymentNotices(live)).toMatchObject({
    failedRefunds: { total: 1, refunds: [{ amountPaise: 2 }] },
    overdueRefunds: { number: 1, paise: 2 },
    soldOut: [{ number: 2, paise: 4 }],
  });
});
