import { afterAll, beforeAll, expect, test } from "vitest";
import type { userPurchases } from "#db/tables/purchases.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import { addDays } from "../time.ts";
import { readOverview } from "./read-dashboard.server.ts";

/** 21 November 2026. */
const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
afterAll(() => shop.close());

const day = (n: number) => addDays(shop.clock.now(), n);

beforeAll(async () => {
  const [canva, netflix] = [await shop.tool({ name: "Canva" }), await shop.tool({ name: "Netflix" })];
  type Facts = Partial<typeof userPurchases.$inferInsert>;
  const ended = async (tool: typeof canva, end: number, facts: Facts = {}, next?: Facts) => {
    const buyer = await shop.user();
    const of = { toolId: tool.id, toolName: tool.name };
    await shop.pass(buyer, { ...of, startsAt: day(end - 30), expiresAt: day(end), ...facts });
    if (next) await shop.pass(buyer, { ...of, startsAt: day(end), expiresAt: day(end + 30), ...next });
  };
  await ended(canva, -10, {}, {});
  await ended(canva, -10, {}, { startsAt: day(-4) });
  await ended(canva, -10, {}, { startsAt: day(-2) });
  await ended(canva, -10, {}, { endedAt: day(-9), endedReason: "refunded" });
  await ended(canva, -10, {}, { testMode: true });
  await ended(canva, -40, {}, {});
  await ended(netflix, -10);
  // Not paid, in test mode, ended before, not long enough ago, too long ago.
  await ended(netflix, -10, { amountPaise: 0 }, {});
  await ended(netflix, -10, { testMode: true }, {});
  await ended(netflix, -10, { endedAt: day(-12), endedReason: "cancelled" }, {});
  await ended(netflix, -6, {}, {});
  await ended(netflix, -400, {}, {});
});

test("the overview says by tool and month how many paid passes were followed by another one within seven days", async () => {
  const { renewals } = await readOverview(await shop.user("admin"));
  const none = { ended: 0, renewed: 0 };
  expect(renewals.months).toEqual(["2026-11", "2026-10", "2026-09", "2026-08", "2026-07", "2026-06"]);
  expect(renewals.all).toEqual([{ ended: 7, renewed: 2 }, { ended: 1, renewed: 1 }, none, none, none, none]);
  expect(renewals.tools).toEqual([
    { name: "Canva", months: [{ ended: 6, renewed: 2 }, { ended: 1, renewed: 1 }, none, none, none, none] },
    { name: "Netflix", months: [{ ended: 1, renewed: 0 }, none, none, none, none, none] },
  ]);
});

test("nobody but an admin reads the overview", async () => {
  for (const other of [shop.visitor(), await shop.user()])
    await expect(readOverview(other)).rejects.toMatchObject({ name: "DomainError" });
});
