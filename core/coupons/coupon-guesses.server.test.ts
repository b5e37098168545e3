import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { rateLimits } from "#db/tables/operations.ts";
import { startTestShop, type TestShop } from "../../tools/testing/shop.ts";
import type { Context } from "../context.ts";
import { checkCoupon } from "./check-coupon.server.ts";

let shop: TestShop;
let slug: string;
beforeAll(async () => {
  shop = await startTestShop();
  slug = (await shop.tool()).slug;
});
afterAll(() => shop.close());
beforeEach(async () => {
  await shop.db.delete(rateLimits);
});

const at = (ctx: Context, ipAddress: string): Context => ({
  ...ctx,
  browser: { headers: new Headers(), ipAddress },
});

/** How many of these guesses, made at the same time, were looked up. */
async function lookedUp(guesses: Context[]): Promise<number> {
  const codes = await Promise.all(
    guesses.map((ctx, n) =>
      checkCoupon(ctx, { slug, code: `GUESS${n}` }).then(
        () => "valid",
        (error: Error) => error.message,
      ),
    ),
  );
  const found = codes.filter((code) => code === "coupon-not-found").length;
  expect(found + codes.filter((code) => code === "coupon-tries-exceeded").length).toBe(guesses.length);
  return found;
}

test("many accounts at one address together guess at most 300 codes in ten minutes", async () => {
  const accounts = await Promise.all(Array.from({ length: 16 }, () => shop.user()));
  const guesses = Array.from({ length: 25 }, () => accounts.map((ctx) => at(ctx, "203.0.113.7"))).flat();
  expect(await lookedUp(guesses)).toBe(300);
  const [elsewhere] = accounts;
  if (!elsewhere) throw new Error("no account was made");
  expect(await lookedUp([at(elsewhere, "203.0.113.8")])).toBe(1);
});

test("one account that guesses alone uses up no more of its address than its own limit", async () => {
  const guesser = at(await shop.user(), "203.0.113.9");
  expect(await lookedUp(Array.from({ length: 400 }, () => guesser))).toBe(30);
  const neighbour = at(await shop.user(), "203.0.113.9");
  expect(await lookedUp([neighbour])).toBe(1);
});

test("an account that changes its address is still held to its own limit", async () => {
  const guesser = await shop.user();
  const guesses = Array.from({ length: 60 }, (_, n) => at(guesser, `198.51.100.${n}`));
  expect(await lookedUp(guesses)).toBe(30);
});
