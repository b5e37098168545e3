import { afterAll, beforeAll, expect, test } from "vitest";
import { checkRandomSequences } from "#tests/checkout-model/property.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { type FakeGatewayShop, startFakeGatewayShop } from "#tests/fixtures/fake-gateway-shop.ts";
import { auditLedger } from "../reports/audit-ledger.server.ts";

const MINUTE = 60_000;
const SEQUENCES = 300;
/** Each seed has a shop of its own. They run in parallel, because a sequence mostly waits for its database. */
const SEEDS = [20_261_121, 20_261_122];
/** Every one of these outcomes must occur, or the sequences would prove little. */
const OUTCOMES = [
  "pass",
  "granted",
  "renewals",
  "cancellation",
  "cancelled-by-shop",
  "duplicate-payment",
  "out-of-stock",
  "purchase-ended",
  "purchase-replaced",
  "refunded-at-gateway",
  "amount-mismatch",
  "already-refunded",
  "left uncaptured",
  "chargeback",
  "lost in part",
  "refunded and lost",
  "dropped refund",
  "captured by the shop: pass",
  "kept with a fee on top",
  "kept with an offer",
  "by hand: pass",
  "by hand: cancellation",
  "by hand: refund",
  "by hand: refund, given back",
];

let shops: FakeGatewayShop[];
beforeAll(async () => {
  shops = await Promise.all(SEEDS.map(async () => startFakeGatewayShop(await freshDatabase())));
});
afterAll(async () => {
  await Promise.all(shops.map((shop) => shop.close()));
});

test(
  "no payment, stock or coupon use is lost with lost, repeated, reordered and parallel events",
  async () => {
    const sequences = SEQUENCES / SEEDS.length;
    const tallies = await Promise.all(
      shops.map((shop, lane) =>
        checkRandomSequences(shop, {
          sequences,
          maxCommands: 20,
          seed: SEEDS[lane] ?? 0,
          timeoutMs: 8 * MINUTE,
        }),
      ),
    );
    const seen = (outcome: string) => tallies.reduce((sum, tally) => sum + (tally.get(outcome) ?? 0), 0);
    expect(seen("sequences")).toBe(SEQUENCES);
    for (const outcome of OUTCOMES) expect(seen(outcome), outcome).toBeGreaterThan(0);
    for (const { contextFor } of shops)
      expect(await auditLedger(contextFor({ kind: "system" }))).toMatchObject({ counts: {} });
  },
  10 * MINUTE,
);
