import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { readRestoredShop } from "#core/backups/restored-shop.server.ts";
import type { Context } from "#core/context.ts";
import { readRestoredOrders } from "#core/payments/read-restored-orders.server.ts";
import { authAccounts } from "#db/tables/accounts.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { unknownPayments } from "#db/tables/payments.ts";
import { adminRequest, withoutPassword } from "#tests/fixtures/admin-request.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { losePurchase, markRestored } from "#tests/fixtures/restored-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { action as usersAction } from "../users/route.tsx";
import { action, loader } from "./restored-shop-actions.ts";

let shop: SandboxShop;
let admin: Context;
beforeAll(async () => {
  shop = await startSandboxShop();
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

let buyer: Awaited<ReturnType<SandboxShop["user"]>>;
let fields: Record<string, string>;
/** A payment at the sandbox that the shop has lost since, in a restored shop that nobody has confirmed. */
beforeEach(async () => {
  await shop.db.delete(unknownPayments);
  buyer = await shop.user();
  const tool = await shop.tool();
  // The sandbox has the real time.
  const now = new Date();
  shop.clock.set(now);
  await markRestored(shop.db, { backupAt: now, restoredAt: now, confirmedAt: now });
  const { purchaseId, gatewayOrderId } = await startPaidCheckout(buyer, { slug: tool.slug });
  await shop.payAtGateway(gatewayOrderId);
  await losePurchase(shop.db, purchaseId);
  await readRestoredOrders(shop.system());
  await markRestored(shop.db, { backupAt: now, restoredAt: now });
  const [payment] = await shop.db
    .select()
    .from(unknownPayments)
    .where(eq(unknownPayments.receipt, purchaseId));
  if (payment === undefined) throw new Error("the payment was not found at the sandbox");
  fields = {
    id: payment.id,
    userId: buyer.actor.userId,
    toolId: tool.id,
    amount: "149",
    way: "other",
    reference: payment.gatewayPaymentId,
  };
});

async function post(ctx: Context, intent: string, change: Record<string, string> = {}) {
  const all = { intent, ...fields, ...change };
  const pattern = intent === "sell-by-hand" ? "/admin" : "/admin/restored-shop";
  const run = intent === "sell-by-hand" ? usersAction : action;
  const { data, init } = await run(adminRequest(ctx, { pattern, params: {}, fields: all }));
  return { status: init?.status ?? 200, ...data };
}

const stateOf = async () => ({
  payments: await shop.db.select().from(unknownPayments),
  purchases: await shop.purchasesOf(buyer),
  restored: await readRestoredShop(shop.db),
  audits: await shop.db.$count(auditEvents, eq(auditEvents.subjectType, "unknown-payment")),
});

test("nobody but an admin with a recent password acts on a restored shop, and nothing changes", async () => {
  const before = await stateOf();
  for (const intent of ["confirm", "refund", "sell-by-hand"]) {
    expect(await post(shop.visitor(), intent)).toMatchObject({ status: 401, ok: false });
    expect(await post(buyer, intent)).toMatchObject({ status: 403, ok: false });
    expect(await post(withoutPassword(admin), intent)).toMatchObject({ ok: false, code: "password-needed" });
  }
  expect(await stateOf()).toEqual(before);
  expect(loader().status).toBe(405);
});

test("a payment of a restored shop is handled only after the confirmation", async () => {
  for (const intent of ["refund", "sell-by-hand"])
    expect(await post(admin, intent)).toMatchObject({
      status: 409,
      message: "First confirm that this is now the shop.",
    });
  expect(await post(admin, "confirm")).toMatchObject({
    ok: true,
    message: "Confirmed. The shop is open, and everything that was waiting runs now.",
  });
  expect(await post(admin, "refund")).toMatchObject({
    ok: true,
    message: "The refund of ₹149 has started.",
  });
  expect(await post(admin, "sell-by-hand")).toMatchObject({
    status: 409,
    message: "This payment has already been refunded, or is being refunded. Nothing was changed.",
  });
});

test("a sale by hand that names the payment says what is wrong with the form, and then assigns the payment", async () => {
  await post(admin, "confirm");
  expect(await post(admin, "sell-by-hand", { amount: "150" })).toMatchObject({
    status: 422,
    fields: { amount: [`₹149 was paid with ${fields.reference}. Enter this amount.`] },
  });
  expect(await post(admin, "sell-by-hand", { validityDays: "0" })).toMatchObject({
    fields: { validityDays: ["Enter the days as a whole number from 1 to 3650."] },
  });
  expect((await stateOf()).purchases).toEqual([]);
  expect(await post(admin, "sell-by-hand")).toMatchObject({ ok: true, message: "Sale recorded." });
  expect((await stateOf()).purchases).toMatchObject([
    { status: "completed", testMode: true, amountPaise: 14_900 },
  ]);
  expect(await post(admin, "refund")).toMatchObject({
    message: "This payment has already been assigned to a buyer. Nothing was changed.",
  });
});

test("the admin reads that the password of an account that nobody had confirmed was removed", async () => {
  await post(admin, "confirm");
  const { userId } = (await shop.user()).actor;
  await shop.db
    .insert(authAccounts)
    .values({ userId, accountId: userId, providerId: "credential", password: "$x" });
  const signedUp = { actorKind: "user", action: "account.signed-up", subjectType: "user" } as const;
  await shop.db.insert(auditEvents).values({ ...signedUp, subjectId: userId });
  const sold = await post(admin, "sell-by-hand", { userId });
  expect(sold.message).toMatch("Sale recorded. Nobody had confirmed the address of this account");
});
