import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { couponCodes } from "#db/tables/catalog.ts";
import { startPaidCheckout, withOldPassword } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { confirmCheckout } from "../checkout/checkout-status.server.ts";
import { startCheckout } from "../checkout/start-checkout.server.ts";
import type { Context } from "../context.ts";
import { createCoupon, deleteCoupon, getCouponUsage, updateCoupon } from "./manage-coupons.server.ts";
import { checkCoupon } from "./redeem-coupons.server.ts";

let shop: SandboxShop;
let admin: Context;
let tool: Awaited<ReturnType<SandboxShop["tool"]>>;
beforeAll(async () => {
  shop = await startSandboxShop();
  admin = await shop.user("admin");
  tool = await shop.tool({ pricePaise: 10_000, availableStock: 100 });
});
afterAll(() => shop.close());

let count = 0;
/** What the form of a coupon sends. */
const form = (changes: object = {}) => ({
  code: `SAVE-${++count}`,
  toolId: tool.id,
  discountPercentage: "20",
  usageLimit: "",
  expiresAt: "",
  isActive: "on",
  ...changes,
});

async function addCoupon(changes: object = {}) {
  const sent = form(changes);
  const { id } = await createCoupon(admin, sent);
  return { id, code: sent.code, edit: { ...sent, id, version: 1 } };
}

const check = (code: string) => checkCoupon(shop.visitor(), { slug: tool.slug, code });

test("the database takes no code in lower case", async () => {
  const lower = { code: "lower", toolId: tool.id, discountPercentage: 5 };
  await expect(shop.db.insert(couponCodes).values(lower)).rejects.toThrow();
  expect(await shop.db.$count(couponCodes, eq(couponCodes.code, "lower"))).toBe(0);
});

test("creating a coupon stores its code in upper case and its expiry in the store's time zone", async () => {
  const { id } = await addCoupon({ code: " diwali_10 ", usageLimit: "3", expiresAt: "2027-03-31T23:59" });
  expect(await shop.couponOf(id)).toMatchObject({
    code: "DIWALI_10",
    discountPercentage: 20,
    usageLimit: 3,
    isActive: true,
    usesTaken: 0,
    expiresAt: new Date("2027-03-31T18:29:00Z"),
  });
  expect(await check("diwali_10")).toEqual({ code: "DIWALI_10", discountPercentage: 20 });
  expect(await shop.auditsOf(id)).toMatchObject([
    { action: "coupon.created", details: { after: { code: "DIWALI_10", toolId: tool.id } } },
  ]);
});

test("a coupon has no limit and no expiry, and is not active, when its form leaves them empty", async () => {
  const { id } = await addCoupon({ isActive: undefined });
  expect(await shop.couponOf(id)).toMatchObject({ usageLimit: null, expiresAt: null, isActive: false });
});

test("a coupon code is accepted once, in any case, also when several requests arrive at once", async () => {
  const code = `Once-${++count}`;
  const results = await Promise.allSettled(
    [code, code.toLowerCase(), code.toUpperCase()].map((text) => createCoupon(admin, form({ code: text }))),
  );
  const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  expect(refused).toMatchObject([{ code: "coupon-code-taken" }, { code: "coupon-code-taken" }]);
});

test.each([
  [{ code: " " }, "code", "Enter the coupon code."],
  [{ code: "A%B" }, "code", "Use letters, digits, hyphens and underscores only."],
  [{ code: "X".repeat(41) }, "code", "At most 40 characters."],
  [{ toolId: "" }, "toolId", "Choose a tool."],
  [{ discountPercentage: "12.5" }, "discountPercentage", "Whole percents only"],
  [{ discountPercentage: 12.5 }, "discountPercentage", "Whole percents only"],
  [{ discountPercentage: "12,5" }, "discountPercentage", "Whole percents only"],
  [{ discountPercentage: "0" }, "discountPercentage", "Enter a discount from 1 to 100 percent."],
  [{ discountPercentage: "101" }, "discountPercentage", "Enter a discount from 1 to 100 percent."],
  [{ discountPercentage: "" }, "discountPercentage", "Enter a discount from 1 to 100 percent."],
  [{ usageLimit: "0" }, "usageLimit", "Enter a whole number from 1 to 1000000, or nothing for no limit."],
  [{ expiresAt: "2027-02-30T10:00" }, "expiresAt", "Enter a date and a time."],
  [
    { expiresAt: "2020-01-31T10:00" },
    "expiresAt",
    "This time has passed. Choose a later one, or untick Active to stop the coupon.",
  ],
])("a coupon with %j is refused", async (changes, field, message) => {
  await expect(createCoupon(admin, form(changes))).rejects.toMatchObject({
    fields: { [field]: [message] },
  });
});

test("a coupon for a deleted tool is refused", async () => {
  const gone = await shop.tool({ deletedAt: new Date() });
  await expect(createCoupon(admin, form({ toolId: gone.id }))).rejects.toMatchObject({
    code: "tool-not-found",
  });
});

test("changing a coupon audits the fields that changed, and keeps the seconds of an expiry that its form did not change", async () => {
  const exact = new Date("2027-03-31T18:29:59Z");
  const coupon = await shop.coupon(tool.id, { expiresAt: exact });
  const sent = form({ code: coupon.code, expiresAt: "2027-03-31T23:59", discountPercentage: "30" });
  expect(await updateCoupon(admin, { ...sent, id: coupon.id, version: 1 })).toEqual({ version: 2 });
  expect(await shop.couponOf(coupon.id)).toMatchObject({ expiresAt: exact, discountPercentage: 30 });
  expect(await shop.auditsOf(coupon.id)).toMatchObject([
    { details: { before: { discountPercentage: 20 }, after: { discountPercentage: 30 } } },
  ]);
});

test("two admins change the same coupon at once: the second is told and nothing of theirs is saved", async () => {
  const { edit, id } = await addCoupon();
  const results = await Promise.allSettled([
    updateCoupon(admin, { ...edit, discountPercentage: "30" }),
    updateCoupon(admin, { ...edit, discountPercentage: "40" }),
  ]);
  const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  expect(refused).toMatchObject([{ code: "changed-meanwhile" }]);
  expect(await shop.couponOf(id)).toMatchObject({ version: 2 });
});

test("changing a coupon is refused for the code of another coupon and for a coupon that does not exist", async () => {
  const { edit } = await addCoupon();
  const other = await addCoupon();
  await expect(updateCoupon(admin, { ...edit, code: other.code })).rejects.toMatchObject({
    code: "coupon-code-taken",
  });
  await expect(updateCoupon(admin, { ...edit, id: tool.id })).rejects.toMatchObject({
    code: "coupon-missing",
  });
});

test("a deleted coupon is gone for buyers and in the admin's lookups, and its code is free", async () => {
  const { id, code, edit } = await addCoupon();
  await deleteCoupon(admin, { id });
  await expect(check(code)).rejects.toMatchObject({ code: "coupon-not-found" });
  await expect(getCouponUsage(admin, { code })).rejects.toMatchObject({ code: "coupon-missing" });
  await expect(updateCoupon(admin, { ...edit, version: 2 })).rejects.toMatchObject({
    code: "coupon-missing",
  });
  await expect(deleteCoupon(admin, { id })).rejects.toMatchObject({ code: "coupon-missing" });
  expect((await shop.auditsOf(id)).at(-1)).toMatchObject({
    action: "coupon.deleted",
    details: { before: { code } },
  });
  await createCoupon(admin, form({ code, discountPercentage: "50" }));
  expect(await check(code)).toMatchObject({ discountPercentage: 50 });
});

test("deleting a coupon needs a password that was entered in the last 15 minutes", async () => {
  const { id } = await addCoupon();
  await expect(deleteCoupon(withOldPassword(admin), { id })).rejects.toMatchObject({
    code: "password-needed",
  });
  expect(await shop.couponOf(id)).toMatchObject({ deletedAt: null, isActive: true });
});

test("an open checkout keeps the discount of a deleted coupon, also when its buyer presses Pay again", async () => {
  const { id, code } = await addCoupon({ usageLimit: "1" });
  const buyer = await shop.user();
  const start = () => startPaidCheckout(buyer, { slug: tool.slug, coupon: code });
  const { gatewayOrderId } = await start();
  await deleteCoupon(admin, { id });
  expect(await start()).toMatchObject({ gatewayOrderId, amountPaise: 8_000 });
  await confirmCheckout(buyer, await shop.payAtGateway(gatewayOrderId));
  expect(await shop.purchasesOf(buyer)).toMatchObject([
    { status: "completed", amountPaise: 8_000, couponCode: code },
  ]);
  expect(await shop.couponOf(id)).toMatchObject({ usesTaken: 1 });
});

test("a deleted coupon is refused for a new checkout, and an open checkout without it goes on", async () => {
  const { id, code } = await addCoupon();
  await deleteCoupon(admin, { id });
  const buyer = await shop.user();
  const { gatewayOrderId } = await startPaidCheckout(buyer, { slug: tool.slug });
  await expect(startPaidCheckout(buyer, { slug: tool.slug, coupon: code })).rejects.toMatchObject({
    code: "coupon-not-found",
  });
  await confirmCheckout(buyer, await shop.payAtGateway(gatewayOrderId));
  expect(await shop.purchasesOf(buyer)).toMatchObject([{ status: "completed", amountPaise: 10_000 }]);
});

test("the usage of a coupon counts its uses and lists the latest ten first", async () => {
  const { code } = await addCoupon({ discountPercentage: "100" });
  const buyers: Context[] = [];
  for (let use = 0; use < 12; use++) {
    shop.clock.advance(1000);
    const buyer = await shop.user();
    buyers.push(buyer);
    await startCheckout(buyer, { slug: tool.slug, coupon: code });
  }
  const usage = await getCouponUsage(admin, { code });
  expect(usage).toMatchObject({ timesUsed: 12, usedCount: 12, held: 0 });
  const emails = buyers.toReversed().map(({ actor }) => ("email" in actor ? actor.email : ""));
  expect(usage.latest.map(({ userEmail }) => userEmail)).toEqual(emails.slice(0, 10));
});

test.each(["visitor", "user", "system"] as const)("the actor %s cannot change coupons", async (kind) => {
  const { id, edit } = await addCoupon();
  const ctx = kind === "user" ? await shop.user() : kind === "visitor" ? shop.visitor() : shop.system();
  const refusal = { code: kind === "user" ? "forbidden" : "unauthenticated" };
  await expect(createCoupon(ctx, form())).rejects.toMatchObject(refusal);
  await expect(updateCoupon(ctx, edit)).rejects.toMatchObject(refusal);
  await expect(deleteCoupon(ctx, { id })).rejects.toMatchObject(refusal);
  expect(await shop.couponOf(id)).toMatchObject({ version: 1, deletedAt: null });
});
