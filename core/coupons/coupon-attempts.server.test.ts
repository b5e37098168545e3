import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { rateLimits } from "#db/tables/operations.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import type { Context } from "../context.ts";
import { checkCoupon } from "./redeem-coupons.server.ts";

let shop: SandboxShop;
let slug: string;
beforeAll(async () => {
  shop = await startSandboxShop();
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

/** Makes one coupon attempt per context in parallel. @returns how many were not refused by the limit */
async function countLookups(attempts: Context[]): Promise<number> {
  const codes = await Promise.all(
    attempts.map((ctx, n) =>
      checkCoupon(ctx, { slug, code: `GUESS${n}` }).then(
        () => "valid",
        (error: Error) => error.message,
      ),
    ),
  );
  const found = codes.filter((code) => code === "coupon-not-found").length;
  expect(found + codes.filter((code) => code === "coupon-tries-exceeded").length).toBe(attempts.length);
  return found;
}

test("the accounts at one address may together make 300 coupon attempts in ten minutes", async () => {
  const accounts = await Promise.all(Array.from({ length: 16 }, () => shop.user()));
  const attempts = Array.from({ length: 25 }, () => accounts.map((ctx) => at(ctx, "203.0.113.7"))).flat();
  expect(await countLookups(attempts)).toBe(300);
  const [elsewhere] = accounts;
  if (!elsewhere) throw new Error("no account was made");
  expect(await countLookups([at(elsewhere, "203.0.113.8")])).toBe(1);
});

test("the refused attempts of one account do not count against its address", async () => {
  const guesser = at(await shop.user(), "203.0.113.9");
  expect(await countLookups(Array.from({ length: 400 }, () => guesser))).toBe(30);
  const neighbour = at(await shop.user(), "203.0.113.9");
  expect(await countLookups([neighbour])).toBe(1);
});

test("the limit of an account applies across addresses", async () => {
  const guesser = await shop.user();
  const attempts = Array.from({ length: 60 }, (_, n) => at(guesser, `198.51.100.${n}`));
  expect(await countLookups(attempts)).toBe(30);
});
