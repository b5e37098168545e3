import { afterAll, beforeAll, expect, test } from "vitest";
import { checkAnyOrder } from "../../tools/testing/checkout-world/property.ts";
import { freshDatabase } from "../../tools/testing/database.ts";
import { type FakeShop, startFakeShop } from "../../tools/testing/fake-shop.ts";

let shop: FakeShop;
beforeAll(async () => {
  shop = await startFakeShop(await freshDatabase());
});
afterAll(() => shop.close());

test("whatever happens in whatever order: no money is lost and nothing is oversold", async () => {
  const tally = await checkAnyOrder(shop, { sequences: 500, seed: 20_261_121, withinMs: 200_000 });
  console.log(tally);
  expect(tally.get("sequences")).toBe(500);
}, 240_000);
