// Random sequences of what can happen to checkouts, many things at once, through the shop's verbs on a real Postgres and
// against the fake of the real gateway: is every captured payment exactly one pass, refund or audited cancellation, are
// stock and coupons kept, and does the shop earn what the gateway holds? Ends with 1 when not, and tells the sequence.
// node bin/daypass.mjs exec bench/checkout-properties.ts [sequences] [seed]
import { watchMoney } from "#core/reports/watch-money.server.ts";
import { checkAnyOrder } from "../tools/testing/checkout-world/property.ts";
import { startFakeShop } from "../tools/testing/fake-shop.ts";
import { copyDatabase, makeTemplate } from "../tools/testing/template-database.ts";
import { startThrowawayPostgres } from "../tools/testing/throwaway-postgres.ts";

const SEQUENCES = Number(process.argv[2] ?? 10_000);
const SEED = Number(process.argv[3] ?? Date.now() % 2 ** 31);
const HOURS = 3_600_000;

const secondsSince = (began: number) => ((performance.now() - began) / 1000).toFixed(0);

const server = await startThrowawayPostgres();
try {
  const shop = await startFakeShop(await copyDatabase(server.url, await makeTemplate(server.url)));
  console.log(`${SEQUENCES} sequences, seed ${SEED}`);
  const began = performance.now();
  const tally = await checkAnyOrder(shop, {
    sequences: SEQUENCES,
    longest: 25,
    seed: SEED,
    withinMs: 12 * HOURS,
    onSequence: (done) => done % 500 === 0 && console.log(`${done} after ${secondsSince(began)} s`),
  });
  for (const [name, times] of [...tally].toSorted((one, other) => other[1] - one[1])) {
    console.log(`${String(times).padStart(8)} ${name}`);
  }
  console.log(`all ${SEQUENCES} hold, after ${secondsSince(began)} s`);
  const { counts } = await watchMoney(shop.contextFor({ kind: "system" }));
  console.log("the shop's own watch finds", counts);
  await shop.close();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await server.stop();
}
