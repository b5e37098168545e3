import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCipher } from "#adapters/cipher/cipher.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { paymentAttempts, paymentOrders } from "#db/tables/payments.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { type FakeGatewayShop, startFakeGatewayShop } from "#tests/fixtures/fake-gateway-shop.ts";
import { insertPayment } from "#tests/fixtures/insert-payment.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { deleteUser } from "../accounts/delete-account.server.ts";
import type { Context } from "../context.ts";
import { purgeExpired } from "../housekeeping/purge-expired.server.ts";
import { getPurchaseTimeline } from "../passes/get-purchase-timeline.server.ts";
import { listPurchases } from "../passes/list-purchases.server.ts";
import { DAY, HOUR } from "../time.ts";
import { resealSecrets } from "../vault/rotate-keys.server.ts";
import { openPayer } from "../vault/seal-payer.ts";
import { askGateway } from "./ask-gateway.server.ts";
import { readPayers } from "./read-payers.server.ts";
import { settleOrder } from "./settle-order.server.ts";

let shop: FakeGatewayShop;
let admin: Context;
beforeAll(async () => {
  shop = await startFakeGatewayShop(await freshDatabase());
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

const PAYER = {
  vpa: "Ravi.K@okHDFC",
  contact: "+91 98765 43210",
  email: "Ravi@Example.com",
  acquirer_data: { rrn: "412345678901", upi_transaction_id: "HDF5AB12cd", bank_transaction_id: null },
};

/** A payment of ₹149, or less, of a new buyer. */
async function pay(payer: object | undefined = PAYER) {
  const buyer = await shop.user();
  const { slug } = await shop.tool();
  const { gatewayOrderId, purchaseId } = await startPaidCheckout(buyer, { slug });
  const settle = () => settleOrder(shop.system(), { gatewayOrderId });
  return { buyer, gatewayOrderId, purchaseId, settle, payer: payer && { payer: { ...payer } } };
}

async function paid(payer: object = PAYER) {
  const made = await pay(payer);
  shop.fake.pay(made.gatewayOrderId, made.payer);
  await made.settle();
  return made;
}

async function attemptOf(purchaseId: string) {
  const [row] = await shop.db
    .select({ attempt: paymentAttempts })
    .from(paymentAttempts)
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .where(eq(paymentOrders.purchaseId, purchaseId));
  if (!row) throw new Error("there is no payment");
  return row.attempt;
}

const found = async (q: string) => (await listPurchases(admin, { q })).rows.map(({ id }) => id);
const digits = (n: number) => String(n).padStart(10, "0");
let phones = 9_000_000_000;
const nextPhone = () => digits(++phones);

test("a payment is found by UTR, phone number, UPI address and e-mail address of its payer, as people write them", async () => {
  const { purchaseId } = await paid();
  for (const q of [
    "412345678901",
    "4123 4567 8901",
    "UTR 412345678901",
    "utr: hdf5ab12CD",
    "hdf5ab12CD",
    "9876543210",
    "+91 98765-43210",
    "098765 43210",
    "919876543210",
    "ravi.k@OKhdfc",
    "RAVI@example.com",
  ])
    expect([q, await found(q)]).toEqual([q, [purchaseId]]);
  for (const q of ["41234567890", "876543210", "okhdfc", "ravi.k", "412345678902"])
    expect([q, await found(q)]).toEqual([q, []]);
});

test("the payer is sealed in the row of the payment, with fee and tax beside it, and an admin sees the last four", async () => {
  const { purchaseId } = await paid();
  const attempt = await attemptOf(purchaseId);
  expect(attempt).toMatchObject({ method: "upi", feePaise: 352, taxPaise: 54 });
  expect(JSON.stringify(attempt)).not.toMatch(/ravi|98765|4123|hdf5/i);
  expect(openPayer(shop.ports.cipher, "payment_attempts", attempt.id, attempt.payerSealed ?? "")).toEqual({
    email: "Ravi@Example.com",
    phone: "+91 98765 43210",
    vpa: "Ravi.K@okHDFC",
    rrn: "412345678901",
    upiTransactionId: "HDF5AB12cd",
    bankTransactionId: null,
  });
  const { payer, gateway } = await getPurchaseTimeline(admin, { purchaseId });
  expect(payer).toEqual(["UTR …8901", "phone …3210", "UPI …vi.K@okHDFC", "e-mail …@Example.com"]);
  expect(gateway).toBe("razorpay");
});

test("every detail may be missing or of another form, and the payment still becomes a pass", async () => {
  for (const payer of [
    { vpa: null, contact: null, email: null, acquirer_data: [] },
    { vpa: 7, contact: {}, email: "", fee: 1e12, tax: "x", acquirer_data: null },
    { vpa: undefined, acquirer_data: { auth_code: "1" }, contact: "12" },
  ]) {
    const { purchaseId, settle } = await paid(payer);
    expect((await settle()).result).toBe("pass");
    expect((await getPurchaseTimeline(admin, { purchaseId })).state).toBe("active");
  }
});

test("a bank may name its reference later, and an older response that says less takes nothing away", async () => {
  const [phone, rrn] = [nextPhone(), "512345678901"];
  const { purchaseId, gatewayOrderId, settle } = await pay();
  const payer: Record<string, unknown> = { contact: phone, vpa: null, email: null, acquirer_data: {} };
  shop.fake.pay(gatewayOrderId, { payer });
  await settle();
  expect(await found(phone)).toEqual([purchaseId]);
  payer.acquirer_data = { rrn };
  await settle();
  expect(await found(rrn)).toEqual([purchaseId]);
  payer.acquirer_data = {};
  await settle();
  expect([await found(rrn), await found(phone)]).toEqual([[purchaseId], [purchaseId]]);
});

test("declined and authorised payments are found too", async () => {
  const phone = nextPhone();
  const { purchaseId, gatewayOrderId, settle } = await pay();
  shop.fake.startPayment(gatewayOrderId, { payer: { contact: phone } });
  await settle();
  expect(await found(phone)).toEqual([purchaseId]);
});

test("the payments of an older version are read once by the job, those of another gateway are not asked about", async () => {
  await readPayers(shop.system());
  const phone = nextPhone();
  const made = await paid({ ...PAYER, contact: phone });
  const other = await insertPayment(shop, { attempt: { payerHashes: null } });
  await shop.db
    .update(paymentAttempts)
    .set({ feePaise: null, taxPaise: null, payerSealed: null, payerHashes: null });
  const unread = await shop.db.$count(paymentAttempts);
  expect(await found(phone)).toEqual([]);
  const before = shop.fake.faults.count("order-payments");
  expect(await readPayers(shop.system())).toEqual({ read: unread });
  expect(shop.fake.faults.count("order-payments") - before).toBe(unread - 1);
  expect(await found(phone)).toEqual([made.purchaseId]);
  expect(await attemptOf(made.purchaseId)).toMatchObject({ feePaise: 352, taxPaise: 54 });
  expect(await attemptOf(other.purchaseId)).toMatchObject({ payerHashes: [], payerSealed: null });
  expect(await readPayers(shop.system())).toEqual({ read: 0 });
  await expect(readPayers(admin)).rejects.toMatchObject({ code: "forbidden" });
});

test("a gateway that does not answer leaves the payments unread, and one that refuses is asked once", async () => {
  const { purchaseId } = await paid();
  const forget = () =>
    shop.db
      .update(paymentAttempts)
      .set({ payerHashes: null, payerSealed: null })
      .where(sql`id = (select max(id::text)::uuid from payment_attempts)`);
  await forget();
  shop.fake.faults.add({ match: "order-payments", what: "status", status: 503, times: 1 });
  expect(await readPayers(shop.system())).toEqual({ read: 0 });
  expect((await attemptOf(purchaseId)).payerHashes).toBeNull();
  shop.fake.faults.add({ match: "order-payments", what: "status", status: 400, times: 1 });
  expect(await readPayers(shop.system())).toEqual({ read: 1 });
  expect((await attemptOf(purchaseId)).payerHashes).toEqual([]);
});

test("no payment names its payer after the deletion of the account, also when the gateway is asked again", async () => {
  const { purchaseId, buyer, settle } = await paid();
  await deleteUser(admin, { userId: buyer.actor.userId });
  await settle();
  expect(await attemptOf(purchaseId)).toMatchObject({ payerSealed: null, payerHashes: [], feePaise: 352 });
  // Also one that is paid after it.
  const late = await pay();
  await deleteUser(admin, { userId: late.buyer.actor.userId });
  shop.fake.pay(late.gatewayOrderId, late.payer);
  await late.settle();
  expect(await attemptOf(late.purchaseId)).toMatchObject({ payerSealed: null, payerHashes: [] });
});

test("no payment names its payer after 180 days, also when the gateway is asked again", async () => {
  const { purchaseId, settle } = await paid();
  shop.clock.advance(180 * DAY - HOUR);
  await purgeExpired(shop.system());
  expect((await attemptOf(purchaseId)).payerHashes).toHaveLength(5);
  shop.clock.advance(2 * HOUR);
  await purgeExpired(shop.system());
  await settle();
  expect(await attemptOf(purchaseId)).toMatchObject({ payerSealed: null, payerHashes: [], feePaise: 352 });
});

test("a rotation of the keys seals payers again, and searches still find them", async () => {
  const phone = nextPhone();
  const { purchaseId } = await paid({ ...PAYER, contact: phone });
  const { attempt } = { attempt: await attemptOf(purchaseId) };
  const [oldKey, newKey] = [Buffer.alloc(32, 5), Buffer.alloc(32, 6)];
  const keys = (ids: [string, Buffer][]) => ids.map(([id, key]) => ({ id, key }));
  const old = createCipher({ keys: keys([["old", oldKey]]), lookupKey: oldKey });
  const both = createCipher({
    keys: keys([
      ["new", newKey],
      ["old", oldKey],
    ]),
    lookupKey: oldKey,
  }); // prettier-ignore
  const onlyNew = createCipher({ keys: keys([["new", newKey]]), lookupKey: oldKey });
  const payer = openPayer(shop.ports.cipher, "payment_attempts", attempt.id, attempt.payerSealed ?? "");
  await shop.db.update(paymentAttempts).set({ payerSealed: null }).where(sql`id <> ${attempt.id}`);
  const place = { table: "payment_attempts", rowId: attempt.id, column: "payer_sealed" };
  await shop.db
    .update(paymentAttempts)
    .set({ payerSealed: old.seal(JSON.stringify(payer), place) })
    .where(eq(paymentAttempts.id, attempt.id));
  const system = shop.system();
  const rotating = { ...system, ports: { ...system.ports, cipher: both } };
  expect(await resealSecrets(rotating, { limit: 10 })).toMatchObject({ payers: 1 });
  expect(await resealSecrets(rotating, { limit: 10 })).toMatchObject({ payers: 0 });
  const { payerSealed } = await attemptOf(purchaseId);
  expect(openPayer(onlyNew, "payment_attempts", attempt.id, payerSealed ?? "")).toEqual(payer);
  expect(await found(phone)).toEqual([purchaseId]);
  await shop.db.update(paymentAttempts).set({ payerSealed: null });
});

test("an admin asks the gateway about a purchase, which is settled as ever and audited; nobody else may", async () => {
  const { purchaseId, gatewayOrderId, buyer } = await pay();
  expect(await askGateway(admin, { purchaseId })).toEqual({ result: "waiting" });
  shop.fake.pay(gatewayOrderId);
  const answers = await Promise.all(Array.from({ length: 5 }, () => askGateway(admin, { purchaseId })));
  expect(new Set(answers.map(({ result }) => result))).toEqual(new Set(["pass"]));
  expect((await getPurchaseTimeline(admin, { purchaseId })).state).toBe("active");
  const events = await shop.db.select().from(auditEvents).where(eq(auditEvents.subjectId, purchaseId));
  const asked = events.filter(({ action }) => action === "purchase.gateway-asked");
  expect(asked.map(({ details }) => details.result)).toEqual(["waiting", ...Array(5).fill("pass")]);
  expect(asked[0]?.actorId).toBe((admin.actor as { userId: string }).userId);
  await expect(askGateway(buyer, { purchaseId })).rejects.toMatchObject({ code: "forbidden" });
  await expect(askGateway(shop.visitor(), { purchaseId })).rejects.toMatchObject({ code: "unauthenticated" });
  const unknown = { purchaseId: buyer.actor.userId };
  await expect(askGateway(admin, unknown)).rejects.toMatchObject({ code: "purchase-not-found" });
  shop.fake.faults.add({ match: "order-payments", what: "status", status: 503, times: 1 });
  expect(await askGateway(admin, { purchaseId })).toEqual({ result: "unavailable" });
});
