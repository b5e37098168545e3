// Random sequences of what can happen to checkouts, many things at once, through the shop's verbs on a real Postgres and
// against the fake of the real gateway: is every captured payment exactly one pass, refund or audited cancellation, are
// stock and coupons kept, and does the shop earn what the gateway holds? Ends with 1 when not, and tells the sequence.
// node bin/daypass.mjs exec bench/checkout-properties.ts [sequences] [seed]

import { auditLedger } from "#core/reports/audit-ledger.server.ts";
import { readDashboardStatistics } from "#core/reports/read-dashboard-statistics.server.ts";
import { checkAnyOrder } from "../tools/testing/checkout-world/property.ts";
import type { Tally } from "../tools/testing/checkout-world/tally.ts";
import { type FakeShop, startFakeShop } from "../tools/testing/fake-shop.ts";
import { copyDatabase, makeTemplate } from "../tools/testing/template-database.ts";
import { startThrowawayPostgres } from "../tools/testing/throwaway-postgres.ts";

const SEQUENCES = Number(process.argv[2] ?? 10_000);
const SEED = Number(process.argv[3] ?? Date.now() % 2 ** 31);
/** Shops with a database and a gateway of their own, side by side: a sequence waits more than it works. */
const LANES = 3;
const HOUR = 3_600_000;

const began = performance.now();
const secondsSince = () => ((performance.now() - began) / 1000).toFixed(0);

async function runLane(shop: FakeShop, lane: number): Promise<Tally> {
  const sequences = Math.ceil((SEQUENCES - lane) / LANES);
  const onSequence = (done: number) =>
    done % 500 === 0 && console.log(`shop ${lane + 1}: ${done} of ${sequences} after ${secondsSince()} s`);
  const tally = await checkAnyOrder(shop, {
    ...{ sequences, longest: 25, seed: SEED + lane, withinMs: 12 * HOUR, onSequence },
  });
  await compareFigures(shop);
  return tally;
}

/** What the shop itself tells its owner of all that happened, against the gateway's books. */
async function compareFigures({ contextFor, fake }: FakeShop): Promise<void> {
  const { counts } = await auditLedger(contextFor({ kind: "system" }));
  if (Object.keys(counts).length > 0) throw new Error(`the shop's own watch finds ${JSON.stringify(counts)}`);
  const admin = { kind: "admin", userId: "", email: "", sessionId: "" } as const;
  const { totalRevenue } = await readDashboardStatistics(contextFor(admin));
  const { capturedPaise, refundedPaise } = fake.totals();
  if (totalRevenue !== capturedPaise - refundedPaise) {
    throw new Error(`the dashboard says ${totalRevenue}, the gateway ${capturedPaise - refundedPaise}`);
  }
}

const server = await startThrowawayPostgres();
const shops: FakeShop[] = [];
try {
  const template = await makeTemplate(server.url);
  for (let lane = 0; lane < LANES; lane++) {
    shops.push(await startFakeShop(await copyDatabase(server.url, template)));
  }
  console.log(`${SEQUENCES} sequences, seed ${SEED}`);
  const counts = (await Promise.all(shops.map(runLane))).flatMap((tally) => [...tally]);
  for (const name of new Set(counts.map(([counted]) => counted))) {
    const times = counts.reduce((sum, [counted, more]) => (counted === name ? sum + more : sum), 0);
    console.log(`${String(times).padStart(8)} ${name}`);
  }
  console.log(`all hold, after ${secondsSince()} s`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await Promise.all(shops.map((shop) => shop.close()));
  await server.stop();
}
