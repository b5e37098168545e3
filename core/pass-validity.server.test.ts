import { getTableColumns, sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { userPurchases } from "#db/tables/purchases.ts";
import { type SandboxShop, startSandboxShop } from "../tests/fixtures/sandbox-shop.ts";
import { IS_OPEN_CHECKOUT, isActivePassAt, isActivePassRow } from "./pass-validity.server.ts";
import { isOpenCheckout } from "./passes/purchase-states.ts";
import { HOUR } from "./time.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

const now = new Date("2026-11-21T10:00:00Z");
/** Around `now`, with `now` itself and its neighbours likely. */
const moment = fc
  .oneof(
    { weight: 2, arbitrary: fc.constantFrom(-1, 0, 1) },
    { weight: 1, arbitrary: fc.integer({ min: -48 * HOUR, max: 48 * HOUR }) },
  )
  .map((ms) => new Date(now.getTime() + ms));

/** Every row that the constraints of the table allow. */
const row = fc
  .record({
    source: fc.constantFrom("checkout" as const, "import" as const),
    status: fc.constantFrom("pending" as const, "completed" as const, "failed" as const, "active" as const),
    startsAt: fc.option(moment),
    expiresAt: fc.option(moment),
    endedAt: fc.option(moment, { freq: 1 }),
  })
  .filter(({ status, startsAt, expiresAt }) => {
    const times = startsAt !== null && expiresAt !== null;
    return (status !== "completed" || times) && !(times && startsAt > expiresAt);
  });

test("the rules for an active pass and for an open checkout are the same in SQL and in TypeScript", async () => {
  const { actor } = await shop.user();
  let active = 0;
  let open = 0;
  const property = fc.asyncProperty(row, async (facts) => {
    const [inserted] = await shop.db
      .insert(userPurchases)
      .values({
        userId: actor.userId,
        userEmail: actor.email,
        // Without a tool, so that passes may overlap.
        toolName: "Canva",
        validityDays: 30,
        listPricePaise: 14_900,
        amountPaise: 14_900,
        endedReason: facts.endedAt === null ? null : "cancelled",
        ...facts,
      })
      .returning({
        ...getTableColumns(userPurchases),
        isActive: sql<boolean | null>`(${isActivePassAt(now)})`,
        isOpen: sql<boolean>`${IS_OPEN_CHECKOUT}`,
      });
    if (!inserted) throw new Error("the purchase was not inserted");
    const isActive = isActivePassRow(inserted, now);
    // A missing time makes the condition null.
    expect(inserted.isActive === true).toBe(isActive);
    expect(inserted.isOpen).toBe(isOpenCheckout(inserted));
    active += isActive ? 1 : 0;
    open += isOpenCheckout(inserted) ? 1 : 0;
  });
  await fc.assert(property, { numRuns: 500 });
  expect(active, "the generator makes active passes too").toBeGreaterThan(10);
  expect(open, "the generator makes open checkouts too").toBeGreaterThan(10);
});
