import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { paymentAttempts, paymentDisputes, refunds } from "#db/tables/payments.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { buyInLiveMode } from "#tests/fixtures/buy-in-live-mode.ts";
import { type FakeGatewayShop, startFakeGatewayShop } from "#tests/fixtures/fake-gateway-shop.ts";
import { auditLedger } from "../reports/audit-ledger.server.ts";
import { HOUR } from "../time.ts";
import { cancelPurchase } from "./cancel-purchase.server.ts";
import { fetchAndRecordDispute } from "./disputes.server.ts";
import { processRefunds } from "./process-refunds.server.ts";

let shop: FakeGatewayShop;
beforeAll(async () => {
  shop = await startFakeGatewayShop(await freshDatabase());
});
beforeEach(() => shop.fake.faults.clear());
afterAll(() => shop.close());

const system = () => shop.contextFor({ kind: "system" }, "retry");

/** A sale whose refund is requested and not sent yet. */
async function cancelled() {
  const sale = await buyInLiveMode(shop, "retry");
  await cancelPurchase(sale.model.admin, { purchaseId: sale.purchaseId, reason: "Broken", refund: true });
  const { paymentId } = sale;
  return {
    ...sale,
    dispute: () => shop.fake.openDispute(paymentId).disputeId,
    stored: async () => {
      const [row] = await shop.db
        .select({ outcome: paymentAttempts.outcome, status: refunds.status })
        .from(paymentAttempts)
        .innerJoin(refunds, eq(refunds.attemptId, paymentAttempts.id))
        .where(eq(paymentAttempts.gatewayPaymentId, paymentId));
      return row;
    },
    madeRefunds: () => sale.refunds()?.length,
  };
}

const record = (disputeId: string) => fetchAndRecordDispute(system(), disputeId);

async function lose(disputeId: string): Promise<void> {
  shop.fake.moveDispute(disputeId, "lost");
  await record(disputeId);
}

async function expectNoDiscrepancy(): Promise<void> {
  expect((await auditLedger(system())).counts).toEqual({});
}

test("60 runs and reports at the moment in which disputes open end as one refund or one chargeback each", async () => {
  const sales: Awaited<ReturnType<typeof cancelled>>[] = [];
  for (let n = 0; n < 6; n++) sales.push(await cancelled());
  const disputes = sales.map(({ dispute }) => dispute());
  await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      n % 2 === 0 ? processRefunds(system()) : record(disputes[((n - 1) / 2) % disputes.length] ?? ""),
    ),
  );
  // Each report stored its dispute once.
  for (const id of disputes)
    expect(await shop.db.$count(paymentDisputes, eq(paymentDisputes.gatewayDisputeId, id))).toBe(1);
  await Promise.all(disputes.map(lose));
  shop.clock.advance(HOUR);
  await Promise.all(Array.from({ length: 10 }, () => processRefunds(system())));
  for (const { stored, refundedPaise, madeRefunds } of sales) {
    const wasRefunded = refundedPaise() === 14_900;
    expect(madeRefunds()).toBe(wasRefunded ? 1 : 0);
    expect(await stored()).toEqual(
      wasRefunded
        ? { outcome: "refund", status: "processed" }
        : { outcome: "chargeback", status: "charged-back" },
    );
  }
  await expectNoDiscrepancy();
}, 120_000);

test("a dispute that is recorded while the job is busy with another refund holds its own", async () => {
  const [first, second] = [await cancelled(), await cancelled()];
  shop.fake.faults.add({ match: "refund", what: "gate", gate: "busy", times: 1 });
  const run = processRefunds(system());
  await shop.fake.faults.waitFor("refund");
  await record(second.dispute());
  shop.fake.faults.release("busy");
  await run;
  expect(first.refundedPaise()).toBe(14_900);
  expect(second.refundedPaise()).toBe(0);
  expect(await second.stored()).toEqual({ outcome: "refund", status: "requested" });
});

test("a refund that is on its way when the dispute opens and is lost stays a refund", async () => {
  const sale = await cancelled();
  shop.fake.faults.add({ match: "refund", what: "gate", gate: "slow", times: 1 });
  const run = processRefunds(system());
  await shop.fake.faults.waitFor("refund");
  const disputeId = sale.dispute();
  await record(disputeId);
  await lose(disputeId);
  // The gateway has refunded nothing yet, and another run must not conclude from it that nothing was sent.
  await processRefunds(system());
  expect(await sale.stored()).toEqual({ outcome: "refund", status: "requested" });
  shop.fake.faults.release("slow");
  await run;
  shop.clock.advance(HOUR);
  await processRefunds(system());
  expect(await sale.stored()).toEqual({ outcome: "refund", status: "processed" });
  expect(sale.madeRefunds()).toBe(1);
  await expectNoDiscrepancy();
});

test("a process that ended after it counted the try and before the request leaves no refund and no gap", async () => {
  const sale = await cancelled();
  // The request never arrives, as after kill -9.
  shop.fake.faults.add({ match: "refund", what: "drop-before" });
  await processRefunds(system());
  shop.fake.faults.clear();
  await lose(sale.dispute());
  shop.clock.advance(HOUR);
  await processRefunds(system());
  expect(await sale.stored()).toEqual({ outcome: "chargeback", status: "charged-back" });
  expect(sale.madeRefunds()).toBe(0);
  await expectNoDiscrepancy();
});

test("a cancellation and a dispute in the same moment: it is refused, or its refund is held", async () => {
  const sale = await buyInLiveMode(shop, "retry");
  const { disputeId } = shop.fake.openDispute(sale.paymentId);
  const input = { purchaseId: sale.purchaseId, reason: "Broken", refund: true } as const;
  await Promise.allSettled(
    Array.from({ length: 60 }, (_, n) =>
      n % 2 === 0 ? cancelPurchase(sale.model.admin, input) : record(disputeId),
    ),
  );
  await processRefunds(system());
  expect(sale.refundedPaise()).toBe(0);
  await lose(disputeId);
  await processRefunds(system());
  const [payment] = await shop.db
    .select()
    .from(paymentAttempts)
    .where(eq(paymentAttempts.gatewayPaymentId, sale.paymentId));
  expect(payment).toMatchObject({ outcome: "chargeback", lostPaise: 14_900 });
  expect(sale.refundedPaise()).toBe(0);
  await expectNoDiscrepancy();
});
