import { eq } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, test } from "vitest";
import { userPurchases } from "#db/tables/purchases.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import type { Context } from "../context.ts";
import { InvalidInputError } from "../errors.ts";
import { cancelPurchase } from "../payments/cancel-purchase.server.ts";
import { addDays, DAY, formatDate } from "../time.ts";
import { findActivePass } from "./access.server.ts";
import { extendPurchase, setPurchaseExpiry } from "./change-pass-times.server.ts";
import { assignTool } from "./give-pass.server.ts";

let shop: SandboxShop;
let admin: Context;
beforeAll(async () => {
  shop = await startSandboxShop();
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

/** A pass of ten days that starts now. */
async function assigned() {
  const tool = await shop.tool({ validityDays: 10 });
  const user = await shop.user();
  const input = { userId: user.actor.userId, toolId: tool.id };
  const { purchaseId, expiresAt } = await assignTool(admin, input);
  const startsAt = shop.clock.now();
  const hasPass = async () => (await findActivePass(user, shop.db, input)) !== null;
  return { user, tool, input, purchaseId, startsAt, expiresAt, hasPass };
}

const rowOf = async (purchaseId: string) => {
  const [row] = await shop.db.select().from(userPurchases).where(eq(userPurchases.id, purchaseId));
  return { startsAt: row?.startsAt, expiresAt: row?.expiresAt };
};
const auditsOf = async (purchaseId: string) =>
  (await shop.auditsOf(purchaseId))
    .filter(({ action }) => action !== "purchase.assigned")
    .map(({ action, details }) => ({ action, details }));
const dayOf = (date: Date) =>
  new Intl.DateTimeFormat("en-GB", { timeZone: "Asia/Kolkata" }).format(date).replaceAll("/", "-");
const firstField = (error: unknown) =>
  error instanceof InvalidInputError ? Object.values(error.fields).flat()[0] : error;

test("extending a purchase adds days to the end of a pass and audits both ends", async () => {
  const { purchaseId, startsAt, expiresAt } = await assigned();
  const end = addDays(expiresAt, 7);
  expect(await extendPurchase(admin, { purchaseId, days: 7 })).toEqual({ startsAt, expiresAt: end });
  expect(await rowOf(purchaseId)).toEqual({ startsAt, expiresAt: end });
  expect(await auditsOf(purchaseId)).toEqual([
    {
      action: "purchase.extended",
      details: {
        before: { startsAt: startsAt.toISOString(), expiresAt: expiresAt.toISOString() },
        after: { startsAt: startsAt.toISOString(), expiresAt: end.toISOString() },
      },
    },
  ]);
});

test("extending a purchase twice in parallel by 7 days gives 14", async () => {
  const { purchaseId, expiresAt } = await assigned();
  await Promise.all([1, 2].map(() => extendPurchase(admin, { purchaseId, days: 7 })));
  expect((await rowOf(purchaseId)).expiresAt).toEqual(addDays(expiresAt, 14));
});

test("extending an expired pass starts it again now", async () => {
  const { purchaseId, hasPass } = await assigned();
  shop.clock.advance(20 * DAY);
  expect(await hasPass()).toBe(false);
  const now = shop.clock.now();
  await extendPurchase(admin, { purchaseId, days: 7 });
  expect(await rowOf(purchaseId)).toEqual({ startsAt: now, expiresAt: addDays(now, 7) });
  expect(await hasPass()).toBe(true);
});

test("extending an expired pass does not let it run beside another one of the tool", async () => {
  const { purchaseId, input, startsAt, expiresAt } = await assigned();
  shop.clock.advance(11 * DAY);
  await assignTool(admin, input);
  await expect(extendPurchase(admin, { purchaseId, days: 7 })).rejects.toMatchObject({
    code: "pass-overlap",
  });
  expect(await rowOf(purchaseId)).toEqual({ startsAt, expiresAt });
});

test("extending an expired pass gives one running pass when a second one is assigned at the same time", async () => {
  const { purchaseId, input, user } = await assigned();
  shop.clock.advance(11 * DAY);
  await Promise.allSettled([extendPurchase(admin, { purchaseId, days: 7 }), assignTool(admin, input)]);
  const now = shop.clock.now();
  const running = (await shop.purchasesOf(user)).filter(({ expiresAt }) => expiresAt && expiresAt > now);
  expect(running).toHaveLength(1);
});

test.each([0, -1, 1.5, 3651, Number.NaN])("extending a purchase by %d days is refused", async (days) => {
  const { purchaseId, expiresAt } = await assigned();
  await expect(extendPurchase(admin, { purchaseId, days })).rejects.toMatchObject({
    code: "invalid-input",
  });
  expect((await rowOf(purchaseId)).expiresAt).toEqual(expiresAt);
});

test("setting the expiry of a purchase ends it at 23:59:59 of that day in the store's time zone", async () => {
  const { purchaseId, startsAt } = await assigned();
  const expiresAt = new Date("2027-02-28T18:29:59.000Z");
  expect(await setPurchaseExpiry(admin, { purchaseId, date: " 28-02-2027 " })).toEqual({
    startsAt,
    expiresAt,
  });
  expect(await rowOf(purchaseId)).toEqual({ startsAt, expiresAt });
  expect(await auditsOf(purchaseId)).toMatchObject([
    { action: "purchase.expiry-set", details: { after: { expiresAt: expiresAt.toISOString() } } },
  ]);
});

test.each([
  "tomorrow",
  "2027-02-28",
  "28/02/2027",
  "1-2-2027",
  "",
  28_022_027,
])("setting the expiry of a purchase to '%s' asks for the form of the date", async (date) => {
  const { purchaseId, expiresAt } = await assigned();
  const error = await setPurchaseExpiry(admin, { purchaseId, date: date as string }).catch(firstField);
  expect(error).toBe("Please enter a valid date in DD-MM-YYYY format.");
  expect((await rowOf(purchaseId)).expiresAt).toEqual(expiresAt);
});

test.each([
  "31-02-2027",
  "00-01-2027",
  "01-13-2027",
  "01-01-0001",
])("setting the expiry of a purchase to %s, a day that does not exist, asks for a valid date", async (date) => {
  const { purchaseId, expiresAt } = await assigned();
  const error = await setPurchaseExpiry(admin, { purchaseId, date }).catch(firstField);
  expect(error).toBe("Please enter a valid date.");
  expect((await rowOf(purchaseId)).expiresAt).toEqual(expiresAt);
});

test("setting the expiry of a pass to a day before it began says when it began, and changes nothing", async () => {
  const { purchaseId, startsAt, expiresAt } = await assigned();
  const began = formatDate(startsAt, "Asia/Kolkata");
  for (const date of ["01-01-2001", dayOf(addDays(startsAt, -1))]) {
    const error = await setPurchaseExpiry(admin, { purchaseId, date }).catch(firstField);
    expect(error).toBe(`The pass began on ${began}. It cannot end before that.`);
  }
  expect(await rowOf(purchaseId)).toEqual({ startsAt, expiresAt });
  expect(await auditsOf(purchaseId)).toEqual([]);
});

test("setting the expiry of a pass to a day that is over ends it at once; to today keeps it until midnight", async () => {
  const { purchaseId, startsAt, hasPass } = await assigned();
  shop.clock.advance(3 * DAY);
  await setPurchaseExpiry(admin, { purchaseId, date: dayOf(shop.clock.now()) });
  expect(await hasPass()).toBe(true);
  await setPurchaseExpiry(admin, { purchaseId, date: dayOf(addDays(startsAt, 1)) });
  expect(await hasPass()).toBe(false);
  const { expiresAt } = await rowOf(purchaseId);
  expect(expiresAt && dayOf(expiresAt)).toBe(dayOf(addDays(startsAt, 1)));
});

test("setting the expiry of an expired pass to a coming day starts it again, unless it would overlap another", async () => {
  const { purchaseId, hasPass, input } = await assigned();
  shop.clock.advance(20 * DAY);
  const date = dayOf(addDays(shop.clock.now(), 2));
  await setPurchaseExpiry(admin, { purchaseId, date });
  expect(await hasPass()).toBe(true);
  shop.clock.advance(3 * DAY);
  await assignTool(admin, input);
  await expect(
    setPurchaseExpiry(admin, { purchaseId, date: dayOf(addDays(shop.clock.now(), 2)) }),
  ).rejects.toMatchObject({ code: "pass-overlap" });
});

test("only a completed purchase that was not ended gets another end", async () => {
  const tool = await shop.tool();
  const buyer = await shop.user();
  const open = await startPaidCheckout(buyer, { slug: tool.slug });
  const ended = await assigned();
  await cancelPurchase(admin, { purchaseId: ended.purchaseId, refund: false, reason: "Wrong person" });
  for (const purchaseId of [open.purchaseId, ended.purchaseId]) {
    await expect(extendPurchase(admin, { purchaseId, days: 7 })).rejects.toMatchObject({
      code: "pass-not-changeable",
    });
    await expect(setPurchaseExpiry(admin, { purchaseId, date: "28-02-2027" })).rejects.toMatchObject({
      code: "pass-not-changeable",
    });
  }
  await expect(extendPurchase(admin, { purchaseId: uuidv7(), days: 7 })).rejects.toMatchObject({
    code: "purchase-not-found",
  });
});

test("a visitor and a buyer cannot change the end of a purchase", async () => {
  const { purchaseId, user, expiresAt } = await assigned();
  const input = { purchaseId, days: 7, date: "28-02-2027" };
  for (const operation of [extendPurchase, setPurchaseExpiry]) {
    await expect(operation(user, input)).rejects.toMatchObject({ code: "forbidden" });
    await expect(operation(shop.visitor(), input)).rejects.toMatchObject({ code: "unauthenticated" });
  }
  expect((await rowOf(purchaseId)).expiresAt).toEqual(expiresAt);
});
