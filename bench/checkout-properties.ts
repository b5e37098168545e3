// The model-based property test of checkouts with many sequences: random commands, also in parallel, through the
// operations of core on a real Postgres, with the fake gateway. Checks the invariants of
// tests/checkout-model/property.ts. When one breaks, prints the sequence and exits with 1.
// node bin/daypass.mjs exec bench/checkout-properties.ts [sequences] [seed]

import { eq, sql } from "drizzle-orm";
import { auditLedger } from "#core/reports/audit-ledger.server.ts";
import { forgetFigures } from "#core/reports/figures.server.ts";
import { readDashboardStatistics } from "#core/reports/read-dashboard.server.ts";
import { credits, paymentAttempts, payouts, refunds } from "#db/tables/payments.ts";
import type { OutcomeCounts } from "../tests/checkout-model/command.ts";
import { gatewayRevenueOf } from "../tests/checkout-model/ledger-invariants.ts";
import { checkRandomSequences } from "../tests/checkout-model/property.ts";
import { copyDatabase, makeTemplate } from "../tests/database/template-database.ts";
import { startThrowawayPostgres } from "../tests/database/throwaway-postgres.ts";
import { type FakeGatewayShop, startFakeGatewayShop } from "../tests/fixtures/fake-gateway-shop.ts";

const SEQUENCES = Number(process.argv[2] ?? 10_000);
const SEED = Number(process.argv[3] ?? Date.now() % 2 ** 31);
/** Shops that run in parallel, each with its own database and gateway, because a sequence mostly waits for them. */
const PARALLEL_SHOPS = 3;
/** The server accepts 60, of which three are reserved. */
const CONNECTIONS_PER_SHOP = 15;
const HOUR = 3_600_000;

const began = performance.now();
const secondsSince = () => ((performance.now() - began) / 1000).toFixed(0);

async function runShop(shop: FakeGatewayShop, shopIndex: number): Promise<OutcomeCounts> {
  const sequences = Math.ceil((SEQUENCES - shopIndex) / PARALLEL_SHOPS);
  const onSequencePassed = (done: number) =>
    done % 500 === 0 &&
    console.log(`shop ${shopIndex + 1}: ${done} of ${sequences} after ${secondsSince()} s`);
  const counts = await checkRandomSequences(shop, {
    sequences,
    maxCommands: 25,
    seed: SEED + shopIndex,
    timeoutMs: 12 * HOUR,
    onSequencePassed,
  });
  await compareStatistics(shop);
  return counts;
}

/** Compares the ledger audit and the owner's statistics with the gateway's records and the sales by hand. */
async function compareStatistics({ contextFor, fake, db }: FakeGatewayShop): Promise<void> {
  const { counts } = await auditLedger(contextFor({ kind: "system" }));
  if (Object.keys(counts).length > 0) throw new Error(`the ledger audit finds ${JSON.stringify(counts)}`);
  const admin = { kind: "admin", userId: "", email: "", sessionId: "" } as const;
  forgetFigures(contextFor(admin));
  const { totalRevenuePaise } = await readDashboardStatistics(contextFor(admin));
  const earnedPaise = fake.capturedPayments().reduce((sum, payment) => sum + gatewayRevenueOf(payment), 0);
  const [byHand] = await db
    .select({ paise: sql`coalesce(sum(${paymentAttempts.amountPaise}), 0)`.mapWith(Number) })
    .from(credits)
    .innerJoin(paymentAttempts, eq(paymentAttempts.id, credits.attemptId))
    .leftJoin(refunds, eq(refunds.attemptId, paymentAttempts.id))
    .leftJoin(payouts, eq(payouts.refundId, refunds.id))
    .where(sql`${payouts.state} is distinct from 'paid'`);
  const byHandPaise = byHand?.paise ?? 0;
  if (totalRevenuePaise !== earnedPaise + byHandPaise)
    throw new Error(
      `the dashboard shows ${totalRevenuePaise}, the gateway has ${earnedPaise}, ${byHandPaise} was paid by hand`,
    );
}

const server = await startThrowawayPostgres();
const shops: FakeGatewayShop[] = [];
try {
  const template = await makeTemplate(server.url);
  for (let shopIndex = 0; shopIndex < PARALLEL_SHOPS; shopIndex++) {
    const database = await copyDatabase(server.url, template);
    shops.push(await startFakeGatewayShop(database, { connections: CONNECTIONS_PER_SHOP }));
  }
  console.log(`${SEQUENCES} sequences, seed ${SEED}`);
  const counts = (await Promise.all(shops.map(runShop))).flatMap((shopCounts) => [...shopCounts]);
  for (const outcome of new Set(counts.map(([name]) => name))) {
    const total = counts.reduce((sum, [name, count]) => (name === outcome ? sum + count : sum), 0);
    console.log(`${String(total).padStart(8)} ${outcome}`);
  }
  console.log(`all invariants hold, after ${secondsSince()} s`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await Promise.all(shops.map((shop) => shop.close()));
  await server.stop();
}
