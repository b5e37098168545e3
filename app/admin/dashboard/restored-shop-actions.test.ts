import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { readRestoredShop } from "#core/backups/restored-shop.server.ts";
import type { Context } from "#core/context.ts";
import { readRestoredOrders } from "#core/payments/read-restored-orders.server.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { unknownPayments } from "#db/tables/payments.ts";
import { adminRequest, withoutPassword } from "#tests/fixtures/admin-request.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { losePurchase, markRestored } from "#tests/fixtures/restored-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
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
  const [payment] = await shop.db.select().from(unknownPayments);
  if (payment === undefined) throw new Error("the payment was not found at the sandbox");
  fields = { id: payment.id, email: buyer.actor.email, toolId: tool.id, validityDays: "30" };
});

async function post(ctx: Context, intent: string, change: Record<string, string> = {}) {
  const all = { intent, ...fields, ...change };
  const { data, init } = await action(
    adminRequest(ctx, { pattern: "/admin/restored-shop", params: {}, fields: all }),
  );
  return { status: init?.status ?? 200, ...data };
}

const stateOf = async () => ({
  payments: await shop.db.select().from(unknownPayments),
  purchases: await shop.purchasesOf(buyer),
  restored: await readRestoredShop(shop.db),
  audits: await shop.db.$count(auditEvents, eq(auditEvents.subjectType, "unknown-payment")),
});

test("nobody but an admin with a recent password acts, and nothing changes", async () => {
  const before = await stateOf();
  for (const intent of ["confirm", "refund", "assign"]) {
    expect(await post(shop.visitor(), intent)).toMatchObject({ status: 401, ok: false });
    expect(await post(buyer, intent)).toMatchObject({ status: 403, ok: false });
    expect(await post(withoutPassword(admin), intent)).toMatchObject({ ok: false, code: "password-needed" });
  }
  expect(await stateOf()).toEqual(before);
  expect(loader().status).toBe(405);
});

test("a payment is handled only after the confirmation", async () => {
  for (const intent of ["refund", "assign"])
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
  expect(await post(admin, "assign")).toMatchObject({
    status: 409,
    message: "This payment has already been refunded, or is being refunded. Nothing was changed.",
  });
});

test("an assignment says what is wrong with the form, and then what the buyer has", async () => {
  await post(admin, "confirm");
  const invalid = { email: "nobody@example.com" };
  expect(await post(admin, "assign", invalid)).toMatchObject({
    status: 422,
    fields: { email: ["No account has this email address. The buyer has to sign up first."] },
  });
  expect(await post(admin, "assign", { toolId: "", validityDays: "" })).toMatchObject({
    fields: {
      toolId: ["Choose a tool."],
      validityDays: ["Enter the days as a whole number from 1 to 3650."],
    },
  });
  const assigned = await post(admin, "assign", { email: ` ${buyer.actor.email.toUpperCase()} ` });
  expect(assigned).toMatchObject({ ok: true });
  expect(assigned.message).toMatch(`Assigned: ${buyer.actor.email} now has Tool`);
  expect((await stateOf()).purchases).toMatchObject([
    { status: "completed", testMode: true, amountPaise: 14_900 },
  ]);
  expect(await post(admin, "refund")).toMatchObject({
    message: "This payment has already been assigned to a buyer. Nothing was changed.",
  });
});
