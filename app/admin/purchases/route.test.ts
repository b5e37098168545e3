import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { confirmCheckout } from "#core/checkout/checkout-status.server.ts";
import type { Context } from "#core/context.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { adminRequest, withoutDatabase, withoutPassword } from "#tests/fixtures/admin-request.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { loader as loadCancellation } from "./cancellation.ts";
import { action, loader } from "./route.tsx";
import { loader as loadTimeline } from "./timeline.ts";

let shop: SandboxShop;
let admin: Context;
beforeAll(async () => {
  shop = await startSandboxShop();
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

let buyer: Awaited<ReturnType<SandboxShop["user"]>>;
let purchaseId: string;
beforeEach(async () => {
  buyer = await shop.user();
  const { slug } = await shop.tool();
  const checkout = await startPaidCheckout(buyer, { slug });
  purchaseId = checkout.purchaseId;
  await confirmCheckout(buyer, await shop.payAtGateway(checkout.gatewayOrderId));
});

const PATTERN = "/admin/purchases";
const list = (ctx: Context, search = {}) =>
  loader(adminRequest(ctx, { pattern: PATTERN, params: {}, search }));

async function post(ctx: Context, intent: string, fields: Record<string, string> = {}) {
  const all = { intent, purchaseId, ...fields };
  const { data, init } = await action(adminRequest(ctx, { pattern: PATTERN, params: {}, fields: all }));
  return { status: init?.status ?? 200, ...data };
}

const params = () => ({ purchaseId });
const DIALOGS = {
  timeline: (ctx: Context) =>
    loadTimeline(adminRequest(ctx, { pattern: "/admin/purchases/:purchaseId/timeline", params: params() })),
  cancellation: (ctx: Context) =>
    loadCancellation(
      adminRequest(ctx, { pattern: "/admin/purchases/:purchaseId/cancellation", params: params() }),
    ),
};

async function open(ctx: Context, dialog: keyof typeof DIALOGS) {
  const { data, init } = await DIALOGS[dialog](ctx);
  return { status: init?.status ?? 200, ...data };
}

/** What the requests of this page could change. */
const stateOf = async () => ({
  purchases: await shop.purchasesOf(buyer),
  refunds: await shop.refundsOf(purchaseId),
  audits: await shop.db.$count(auditEvents),
});

const REASON = { reason: "Asked for it" };

test("the purchases are listed for an admin only", async () => {
  expect(await list(shop.visitor())).toBeNull();
  expect(await list(buyer)).toBeNull();
  expect((await list(admin, { q: buyer.actor.email }))?.rows).toMatchObject([
    { id: purchaseId, userId: buyer.actor.userId, status: "completed", testMode: true },
  ]);
});

test.each([
  "timeline",
  "cancellation",
] as const)("the dialogs of a purchase open for an admin only: %s", async (dialog) => {
  expect(await open(shop.visitor(), dialog)).toMatchObject({ status: 401, ok: false });
  expect(await open(buyer, dialog)).toMatchObject({ status: 403, ok: false });
  expect(await open(admin, dialog)).toMatchObject({ status: 200, ok: true });
  purchaseId = uuidv7();
  expect(await open(admin, dialog)).toMatchObject({ status: 404, code: "purchase-not-found" });
});

test.each([
  ["extend", { days: "7" }],
  ["set-expiry", { date: "31-12-2099" }],
  ["cancel-with-refund", REASON],
  ["cancel-without-refund", REASON],
])("a purchase is changed by an admin only: %s", async (intent, fields) => {
  const before = await stateOf();
  expect(await post(shop.visitor(), intent, fields)).toMatchObject({ status: 401, ok: false });
  expect(await post(buyer, intent, fields)).toMatchObject({ status: 403, ok: false });
  expect(await stateOf()).toEqual(before);
});

test("an admin extends a purchase by days that a form sends as text", async () => {
  const [before] = await shop.purchasesOf(buyer);
  expect(await post(admin, "extend", { days: "7" })).toMatchObject({ ok: true });
  const [after] = await shop.purchasesOf(buyer);
  expect(Number(after?.expiresAt) - Number(before?.expiresAt)).toBe(7 * 86_400_000);
});

test.each([
  ["extend", { days: "0" }, "days", "Please enter a whole number of days, 1 to 3650."],
  ["extend", { days: "1.5" }, "days", "Please enter a whole number of days, 1 to 3650."],
  ["set-expiry", { date: "2099-12-31" }, "date", "Please enter a valid date in DD-MM-YYYY format."],
  ["set-expiry", { date: "30-02-2099" }, "date", "Please enter a valid date."],
  ["cancel-without-refund", {}, "reason", "Please enter a reason."],
  ["cancel-without-refund", { reason: " no " }, "reason", "Please enter a reason."],
])("an admin who changes a purchase is told what is wrong with the form, and nothing changes: %s %o", async (intent, fields, field, message) => {
  const before = await stateOf();
  expect(await post(admin, intent, fields)).toMatchObject({
    status: 422,
    ok: false,
    fields: { [field]: [message] },
  });
  expect(await stateOf()).toEqual(before);
});

test("an admin cancels a purchase with the refund that the dialog named", async () => {
  expect(await open(admin, "cancellation")).toMatchObject({ value: { refundablePaise: 14_900 } });
  expect(await post(admin, "cancel-with-refund")).toMatchObject({
    message: "Purchase cancelled. The refund of ₹149 has started.",
  });
  const { refunds, purchases } = await stateOf();
  expect(refunds).toMatchObject([{ amountPaise: 14_900, reason: "cancelled-by-shop" }]);
  expect(purchases).toMatchObject([{ endedReason: "cancelled" }]);
});

test("an admin cancels a purchase without a refund and gives a reason", async () => {
  expect(await post(admin, "cancel-without-refund", REASON)).toMatchObject({
    message: "Purchase cancelled.",
  });
  const { refunds, purchases } = await stateOf();
  expect(refunds).toEqual([]);
  expect(purchases).toMatchObject([{ endedReason: "cancelled" }]);
});

test("an admin who cancels a purchase is told that it was refunded or cancelled before, and nothing changes", async () => {
  await post(admin, "cancel-with-refund");
  const refunded = await stateOf();
  const already = "This purchase has already been refunded. Nothing was changed.";
  expect(await post(admin, "cancel-without-refund", REASON)).toMatchObject({ ok: true, message: already });
  expect(await post(admin, "cancel-with-refund")).toMatchObject({ ok: true, message: already });
  expect(await stateOf()).toEqual(refunded);
});

test("an admin who cancels a purchase is told that it had ended without a refund", async () => {
  await post(admin, "cancel-without-refund", REASON);
  const ended = await stateOf();
  expect(await post(admin, "cancel-without-refund", REASON)).toMatchObject({
    message: "This purchase has already ended. Nothing was changed.",
  });
  expect(await stateOf()).toEqual(ended);
});

test("an admin is asked for the password before a purchase is cancelled, extended or set to another end", async () => {
  const before = await stateOf();
  const late = withoutPassword(admin);
  for (const intent of ["cancel-with-refund", "cancel-without-refund", "extend", "set-expiry"]) {
    const answer = await post(late, intent, { ...REASON, days: "7", date: "31-12-2099" });
    expect(answer).toMatchObject({ ok: false, code: "password-needed" });
  }
  expect(await stateOf()).toEqual(before);
  expect(await post(admin, "cancel-without-refund", REASON)).toMatchObject({ ok: true });
});

test.each([
  ["extend", { days: "7" }, "Failed to update purchase expiry"],
  ["set-expiry", { date: "31-12-2099" }, "Failed to update purchase expiry"],
  ["cancel-with-refund", {}, "Failed to cancel purchase"],
])("an admin gets the message of a failed change of a purchase: %s", async (intent, fields, message) => {
  expect(await post(withoutDatabase(admin), intent, fields)).toMatchObject({ ok: false, message });
});
