import { afterAll, beforeAll, expect, test } from "vitest";
import { checkAnyOrder } from "../../tools/testing/checkout-world/property.ts";
import { freshDatabase } from "../../tools/testing/database.ts";
import { type FakeShop, startFakeShop } from "../../tools/testing/fake-shop.ts";

const MINUTE = 60_000;
const SEQUENCES = 500;
/** What payments must have become among them: else they would prove little. */
const OUTCOMES = [
  ...["pass", "granted", "cancellation", "cancelled-by-shop", "duplicate-payment", "out-of-stock"],
  ...["purchase-ended", "purchase-replaced", "refunded-at-gateway", "amount-mismatch"],
];

let shop: FakeShop;
beforeAll(async () => {
  shop = await startFakeShop(await freshDatabase());
});
afterAll(() => shop.close());

test(
  "in any order, with losses and repetitions, and many things at once: money, stock and coupons are kept",
  async () => {
    const tally = await checkAnyOrder(shop, {
      sequences: SEQUENCES,
      longest: 20,
      seed: 20_261_121,
      withinMs: 8 * MINUTE,
    });
    expect(tally.get("sequences")).toBe(SEQUENCES);
    for (const outcome of OUTCOMES) expect(tally.get(outcome), outcome).toBeGreaterThan(0);
  },
  10 * MINUTE,
);
