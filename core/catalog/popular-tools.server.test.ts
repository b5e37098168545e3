import { eq, sql } from "drizzle-orm";
import { afterAll, beforeEach, expect, test } from "vitest";
import { tools } from "#db/tables/catalog.ts";
import type { userPurchases } from "#db/tables/purchases.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import { addDays } from "../time.ts";
import { listActiveTools } from "./on-sale.server.ts";

const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
afterAll(() => shop.close());

beforeEach(async () => {
  await shop.db.execute(sql`truncate ${tools} cascade`);
});

/** Purchases of different buyers, bought five days ago unless `values` say otherwise. */
async function sell(
  tool: { id: string; name: string },
  count: number,
  values: Partial<typeof userPurchases.$inferInsert> = {},
) {
  for (let sold = 0; sold < count; sold++)
    await shop.pass(await shop.user(), {
      toolId: tool.id,
      toolName: tool.name,
      createdAt: addDays(shop.clock.now(), -5),
      ...values,
    });
}

/** The slugs of the popular tools in their order. The button of the first is the strong one. */
const popular = async () =>
  (await listActiveTools(shop.visitor()))
    .filter(({ popularPlace }) => popularPlace !== null)
    .toSorted((one, other) => (one.popularPlace ?? 0) - (other.popularPlace ?? 0))
    .map(({ slug }) => slug);

test("a badge of the owner says which tools are popular first, whatever is sold", async () => {
  await shop.tool({ slug: "a", badge: "Popular" });
  await shop.tool({ slug: "b", badge: "best seller" });
  await sell(await shop.tool({ slug: "c", badge: "Best value" }), 2);
  expect(await popular()).toEqual(["a", "b", "c"]);
});

test("the tool with the most valid purchases of the last 30 days is popular first when no tool has the badge", async () => {
  const now = shop.clock.now();
  const [cheap, wanted] = [
    await shop.tool({ slug: "cheap", pricePaise: 1_000 }),
    await shop.tool({ slug: "wanted", pricePaise: 9_000, badge: "New" }),
  ];
  await sell(cheap, 1);
  // An expired pass counts.
  await sell(wanted, 2, { startsAt: addDays(now, -5), expiresAt: addDays(now, -1) });
  const others: Partial<typeof userPurchases.$inferInsert>[] = [
    { createdAt: addDays(now, -31) },
    { status: "failed", startsAt: null, expiresAt: null },
    { endedAt: now, endedReason: "refunded" },
    { source: "giveaway" },
    { testMode: true },
  ];
  for (const values of others) await sell(cheap, 1, values);
  expect(await popular()).toEqual(["wanted", "cheap"]);
});

test("the cheapest tool that can be bought is popular without any purchase, and among tools with equally many", async () => {
  await shop.tool({ slug: "free", pricePaise: 0 });
  await shop.tool({ slug: "empty", pricePaise: 1_000, availableStock: 0 });
  await shop.tool({ slug: "chat", pricePaise: 1_000, contactOnly: true });
  const dear = await shop.tool({ slug: "dear", pricePaise: 3_000 });
  const cheap = await shop.tool({ slug: "cheap", pricePaise: 2_000 });
  expect(await popular()).toEqual(["cheap"]);
  await sell(dear, 1);
  expect(await popular()).toEqual(["dear"]);
  await sell(cheap, 1);
  expect(await popular()).toEqual(["cheap", "dear"]);
});

test("a tool that nobody can buy now is not popular, however many were sold", async () => {
  await sell(await shop.tool({ slug: "empty", availableStock: 0 }), 2);
  expect(await popular()).toEqual([]);
  await shop.tool({ slug: "left", pricePaise: 90_000 });
  expect(await popular()).toEqual(["left"]);
});

test("three tools are popular at most: those with a badge of the owner, then the most bought", async () => {
  const cheap = await shop.tool({ slug: "cheap", pricePaise: 1_000 });
  const wanted = await shop.tool({ slug: "wanted", pricePaise: 2_000 });
  await shop.tool({ slug: "never", pricePaise: 3_000 });
  await sell(cheap, 1);
  await sell(wanted, 2);
  expect(await popular()).toEqual(["wanted", "cheap"]);
  await shop.tool({ slug: "badge", pricePaise: 9_000, badge: "Popular" });
  expect(await popular()).toEqual(["badge", "wanted", "cheap"]);
  const fourth = await shop.tool({ slug: "fourth", pricePaise: 9_000 });
  await sell(fourth, 3);
  expect(await popular()).toEqual(["badge", "fourth", "wanted"]);
});

test("the other popular tools stay, and the next one takes the place of one that nobody can buy now", async () => {
  for (const slug of ["a", "b", "c"]) await shop.tool({ slug, badge: "Popular" });
  await shop.tool({ slug: "d", badge: "Popular", availableStock: 0 });
  expect(await popular()).toEqual(["a", "b", "c"]);
  await shop.db.update(tools).set({ availableStock: 0 }).where(eq(tools.slug, "a"));
  const never = await shop.tool({ slug: "never", pricePaise: 5_000 });
  expect(await popular()).toEqual(["b", "c"]);
  await sell(never, 1);
  expect(await popular()).toEqual(["b", "c", "never"]);
});
