// Kills the app, the database or both (SIGKILL) while a checkout is paused at a named point and other customers buy,
// with the fake gateway. After each kill it checks that every captured payment becomes exactly one of pass, refund,
// audited cancellation within a minute of the restart, that stock, coupons and refunds add up, and that no process is
// left over.
// ROUNDS=200 SEED=1 node bin/daypass.mjs exec bench/kill-points.ts ["part of the names of points"]

import { seededRandom } from "../tests/random.ts";
import { auditFinalState } from "./kill-points/audit-final-state.ts";
import { findStockDiscrepancies } from "./kill-points/catalogue.ts";
import { createEnvironment } from "./kill-points/environment.ts";
import { TARGETS, type Target } from "./kill-points/kill.ts";
import { type KillPoint, POINTS } from "./kill-points/kill-points.ts";
import { createLoad } from "./kill-points/load.ts";
import { type KillResult, runRound } from "./kill-points/run-round.ts";
import { createRunStatistics } from "./kill-points/run-statistics.ts";
import { createSettlementWaiter } from "./kill-points/wait-until-settled.ts";
import { connectToShop } from "./support/shop-database.ts";
import { listPostmasters } from "./support/shop-process.ts";

const ROUNDS = Number(process.env.ROUNDS ?? 200);
const SEED = Number(process.env.SEED ?? 1);
const ONLY = process.argv[2];
const SELECTED_POINTS = POINTS.filter(({ name }) => ONLY === undefined || name.includes(ONLY));
const MAX_ATTEMPTS = 3;
const CHECKOUTS_PER_ROUND = 5;

const random = seededRandom(SEED);
const began = performance.now();
const environment = await createEnvironment(random);
const statistics = createRunStatistics(SELECTED_POINTS.map(({ name }) => name));
const { problems } = statistics;
const load = createLoad({ ...environment, random });
const waitUntilSettled = createSettlementWaiter(environment.gateway);

/** Combines every point with every target, one combination after the other. */
function chooseTarget(round: number): { point: KillPoint; target: Target } {
  const index = round % SELECTED_POINTS.length;
  const point = SELECTED_POINTS[index];
  const target = TARGETS[(index + Math.floor(round / SELECTED_POINTS.length)) % TARGETS.length];
  if (!point || !target) throw new Error("there is no such point");
  return { point, target };
}

async function killWithRetries(planned: { point: KillPoint; target: Target }): Promise<KillResult | null> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const result = await runRound(environment, load, planned);
    if (result) return result;
    statistics.recordMiss(planned.point.name);
  }
  return null;
}

/** @returns milliseconds until all payments were settled */
async function checkAfterRestart(where: string, isDeferred: (paymentId: string) => boolean): Promise<number> {
  const client = await connectToShop(environment.dataDir);
  const { tookMs, late, deferred } = await waitUntilSettled(client, isDeferred);
  problems.push(...late.map((id) => `${where}: payment ${id} was not settled within a minute`));
  problems.push(
    ...(await findStockDiscrepancies(client, environment.stockTotals)).map(
      (discrepancy) => `${where}: ${discrepancy}`,
    ),
  );
  const servers = listPostmasters(environment.dataDir).length;
  if (servers !== 1) problems.push(`${where}: ${servers} database servers run`);
  await client.end();
  statistics.recordSettled(tookMs, deferred);
  return tookMs;
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

async function runAll() {
  for (let round = 0; round < ROUNDS; round++) {
    const planned = chooseTarget(round);
    const where = `round ${round + 1}, ${planned.target} at '${planned.point.name}'`;
    const result = await killWithRetries(planned);
    if (!result) {
      console.log(`${where}: not reached`);
      continue;
    }
    statistics.recordKill(planned.point.name, planned.target, result.downMs);
    if (result.problem) problems.push(`${where}: ${result.problem}`);
    // The app keeps running and got no webhook: it polls the order after 3 minutes, or at its next start.
    const isDeferred = (id: string) =>
      planned.target === "database" && environment.webhookProxy.isUndelivered(id);
    const settledMs = await checkAfterRestart(where, isDeferred);
    console.log(`${where}: up again in ${seconds(result.downMs)}, settled in ${seconds(settledMs)}`);
  }
  await environment.restartCleanly();
  await checkAfterRestart("after the last start", () => false);
  return auditFinalState(environment);
}

const audit = await runAll().finally(async () => {
  const remaining = await environment.close();
  if (remaining > 0) problems.push(`${remaining} database servers are left over`);
});
problems.push(...audit.problems);
const { checkouts } = audit.sums;
if (ONLY === undefined && checkouts < ROUNDS * CHECKOUTS_PER_ROUND)
  problems.push(`only ${checkouts} checkouts`);
console.log(`\n${statistics.table()}\n`);
console.log({
  seed: SEED,
  rounds: ROUNDS,
  took: seconds(performance.now() - began),
  ...audit.sums,
  ...statistics.summary(),
  webhooks: environment.webhookProxy.counts,
  serverErrorsOutsideKills: load.serverErrors,
  problems: problems.length,
});
for (const problem of problems) console.log(problem);
if (problems.length > 0) process.exitCode = 1;
