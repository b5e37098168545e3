// 500 people claim the daily giveaway in parallel, over HTTP, on three processes of the built shop on one Postgres: one
// winner and one pass in each run, no errors, and fast refusals.
// node bin/daypass.mjs exec bench/giveaway-claims.ts [claimants] [runs] [processes]

import { z } from "zod";
import { insertTools } from "./support/in-process-shop.ts";
import { LightHttp } from "./support/light-http.ts";
import { type ShopCluster, startCluster } from "./support/shop-cluster.ts";
import { quantile } from "./support/shop-process.ts";
import { signInBuyers } from "./support/signed-in-buyer.ts";

const CLAIMANTS = Number(process.argv[2] ?? 500);
const RUNS = Number(process.argv[3] ?? 5);
const PROCESSES = Number(process.argv[4] ?? 3);
const TAKEN = 409;

const todaySchema = z.object({ giveaway: z.object({ roundId: z.string() }) });
const resultSchema = z.tuple([z.object({ rounds: z.number(), winners: z.number(), passes: z.number() })]);

const cluster = await startCluster(PROCESSES);
try {
  for (let run = 1; run <= RUNS; run++) await claimOnce(cluster, run);
} finally {
  await cluster.close();
}

async function claimOnce({ database, shops, ...rest }: ShopCluster, run: number): Promise<void> {
  const http = new LightHttp(CLAIMANTS);
  try {
    const [slug = ""] = await insertTools(database, 1, 0);
    await database.query("truncate giveaway_rounds");
    await database.query(
      `insert into settings (key, value) values ('store', $1)
       on conflict (key) do update set value = excluded.value`,
      [{ name: "Shop", giveawayToolSlug: slug }],
    );
    const people = await signInBuyers({ database, shops, ...rest }, http, CLAIMANTS);
    // Every process opens the round at the same time.
    const seen = await Promise.all(
      people.map((_, n) => http.get(`${shops[n % PROCESSES]?.url}/giveaway/today`)),
    );
    const roundIds = new Set(seen.map(({ text }) => todaySchema.parse(JSON.parse(text)).giveaway.roundId));
    const [roundId = ""] = roundIds;
    const responses = await Promise.all(people.map((person) => person.claim(roundId)));
    const { rows } = await database.query(
      `select (select count(*)::int from giveaway_rounds) as rounds,
         (select count(*)::int from giveaway_rounds where winner_user_id is not null) as winners,
         (select count(*)::int from user_purchases p join tools t on t.id = p.tool_id where t.slug = $1) as passes`,
      [slug],
    );
    const [{ rounds, winners, passes }] = resultSchema.parse(rows);
    const won = responses.filter(({ status }) => status === 200).length;
    const refused = responses.filter(({ status }) => status === TAKEN).map(({ ms }) => ms);
    const others = responses.filter(({ status }) => status !== 200 && status !== TAKEN);
    console.log(
      `run ${run}, ${PROCESSES} process(es): ${rounds} round, ${winners} winner, ${passes} pass, ${won} told so, ${refused.length} refused ` +
        `(p50 ${quantile(refused, 0.5).toFixed(0)} ms, p99 ${quantile(refused, 0.99).toFixed(0)} ms), ${others.length} unexpected responses`,
    );
    for (const text of new Set(others.map(({ status, result }) => `${status} ${result}`)))
      console.log(`  unexpected response: ${text}`);
    const isRight = [rounds, winners, passes, won, roundIds.size].every((count) => count === 1);
    if (!isRight || refused.length !== CLAIMANTS - 1) process.exitCode = 1;
  } finally {
    http.close();
  }
}
