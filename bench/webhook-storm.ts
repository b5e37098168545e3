// Webhooks at their worst, over HTTP, on the built product, 3 processes on one Postgres: every event three times and
// shuffled, while the buyers come back too; all of them lost and the shop started anew; forged ones. Every paid order has
// one pass in the end, nothing goes back, nothing forged is taken.
// node bin/daypass.mjs exec bench/webhook-storm.ts [runs]
import { createHmac } from "node:crypto";
import { z } from "zod";
import { LightHttp } from "./light-http.ts";
import { startCluster } from "./shop-cluster.ts";
import { median, stopShop } from "./shop-process.ts";
import { insertTools } from "./shop-verbs.ts";
import { type Proof, type SignedInBuyer, signInBuyers } from "./signed-in-buyer.ts";

const RUNS = Number(process.argv[2] ?? 5);
const SHUFFLED = 200;
const LOST = 100;
const FORGED = 50;
const AT_ONCE = 16;
const PATIENCE_MS = 120_000;

interface Paid {
  buyer: SignedInBuyer;
  purchaseId: string;
  proof: Proof;
}

const cluster = await startCluster(3);
const http = new LightHttp(AT_ONCE * 4);
const { webhooks } = cluster.gateway.control;
const seconds = { calm: [] as number[], shuffled: [] as number[], lost: [] as number[] };
const wrong: string[] = [];
try {
  const [slug = ""] = await insertTools(cluster.books, 1);
  for (let run = 1; run <= RUNS; run++) {
    await webhooks.configure({ mode: "drop" });
    const calm = await payFor(slug, SHUFFLED);
    seconds.calm.push(await timed(() => confirmAll(calm)));
    await check("callbacks only", calm);

    await webhooks.configure({ mode: "hold" });
    const shuffled = await payFor(slug, SHUFFLED);
    const eventIds = await eventsOf(shuffled);
    const returning = shuffled.filter((_, n) => n % 2 === 0);
    const deliver = () =>
      webhooks.deliver({ order: "shuffled", times: 3, seed: run, parallel: AT_ONCE, again: true, eventIds });
    seconds.shuffled.push(
      await timed(async () => {
        await Promise.all([deliver(), confirmAll(returning)]);
        await untilPasses(shuffled);
      }),
    );
    await untilHandled();
    await check("every event three times, shuffled", shuffled);

    const forgeries = await forge(slug, shuffled);
    if (forgeries.taken > 0) wrong.push(`${forgeries.taken} of ${forgeries.sent} forgeries were taken`);

    await webhooks.configure({ mode: "drop" });
    const lost = await payFor(slug, LOST);
    await Promise.all(cluster.shops.map((shop) => stopShop(shop, "SIGKILL")));
    seconds.lost.push(
      await timed(async () => {
        await cluster.restart(0);
        await untilPasses(lost);
      }),
    );
    await check("all webhooks and callbacks lost", lost);
    for (const place of [1, 2]) await cluster.restart(place);
    console.log(
      `run ${run}: ${SHUFFLED} by callbacks alone ${(seconds.calm.at(-1) ?? 0).toFixed(1)} s; ${eventIds.length * 3} ` +
        `webhooks shuffled ${(seconds.shuffled.at(-1) ?? 0).toFixed(1)} s; ${LOST} found after a restart ` +
        `${(seconds.lost.at(-1) ?? 0).toFixed(1)} s, start included; ${forgeries.sent} forgeries, ${forgeries.taken} taken`,
    );
  }
  const times = median(seconds.shuffled.map((time, run) => time / (seconds.calm[run] ?? Number.NaN)));
  console.log(
    `median: shuffled ${median(seconds.shuffled).toFixed(1)} s, ${times.toFixed(1)} times callbacks alone`,
  );
  console.log(`median: all lost, passes ${median(seconds.lost).toFixed(1)} s after the restart began`);
  console.log(
    wrong.length === 0 ? "every paid order has one pass; nothing forged was taken" : wrong.join("\n"),
  );
  if (wrong.length > 0) process.exitCode = 1;
} finally {
  http.close();
  await cluster.close();
}

/** Starts and pays so many checkouts, each of somebody new; nobody comes back to the shop yet. */
async function payFor(slug: string, count: number): Promise<Paid[]> {
  return eachOf(await signInBuyers(cluster, http, count), async (buyer) => {
    const { order, status, said } = await buyer.start(slug);
    if (!order) throw new Error(`a checkout was answered ${status} ${said}`);
    return { buyer, purchaseId: order.purchaseId, proof: await buyer.pay(order.orderId) };
  });
}

async function confirmAll(paid: readonly Paid[]): Promise<void> {
  await eachOf(paid, async ({ buyer, proof }) => {
    const { status, said } = await buyer.confirm(proof);
    if (said !== "success") wrong.push(`a genuine callback was answered ${status} ${said}`);
  });
}

async function eventsOf(paid: readonly Paid[]): Promise<string[]> {
  const orders = new Set(paid.map(({ proof }) => proof.razorpay_order_id));
  return (await webhooks.events()).filter(({ orderId }) => orders.has(orderId)).map(({ id }) => id);
}

/** What nobody but the gateway, and nobody but the buyer, may bring to the shop. */
async function forge(slug: string, paid: readonly Paid[]): Promise<{ sent: number; taken: number }> {
  const inbox = () => count("select count(*)::int as n from gateway_events");
  const passes = () => count("select count(*)::int as n from user_purchases where status = 'completed'");
  const before = { inbox: await inbox(), passes: await passes() };
  const events = (await webhooks.events()).slice(-FORGED);
  const messages = events.flatMap(({ rawBody, signature }, n) => [
    { rawBody: rawBody.replace(/"amount":\d+/, '"amount":100'), signature },
    { rawBody: `${rawBody} `, signature },
    { rawBody, signature: createHmac("sha256", "another secret").update(rawBody).digest("hex") },
    { rawBody, signature: "" },
    { rawBody, signature: events[n - 1]?.signature ?? "0" },
  ]);
  const answers = await eachOf(messages, (message, n) =>
    webhooks.post({ ...message, eventId: `forged-${n}` }),
  );
  const unpaid = await eachOf(await signInBuyers(cluster, http, FORGED), async (buyer) => {
    const { order } = await buyer.start(slug);
    return { buyer, orderId: order?.orderId ?? "" };
  });
  const callbacks = await eachOf(unpaid, async ({ buyer, orderId }, n) => {
    const other = paid[n]?.proof;
    if (!other) throw new Error("too few paid orders");
    return [
      // Another order's payment and signature under one's own order; another buyer's proof; a made-up signature.
      await buyer.confirm({ ...other, razorpay_order_id: orderId }),
      await buyer.confirm(other),
      await buyer.confirm({ ...other, razorpay_order_id: orderId, razorpay_signature: "0".repeat(64) }),
    ];
  });
  const taken =
    answers.filter((status) => status === null || status < 400).length +
    callbacks.flat().filter(({ status }) => status < 400).length;
  const stored = (await inbox()) - before.inbox + (await passes()) - before.passes;
  return { sent: messages.length + callbacks.flat().length, taken: Math.max(taken, stored) };
}

/** One pass for each, no refund, nothing else captured. */
async function check(what: string, paid: readonly Paid[]): Promise<void> {
  const ids = [paid.map(({ purchaseId }) => purchaseId)];
  const { rows } = await cluster.books.query(
    `select count(distinct p.id) filter (where p.status = 'completed' and p.ended_at is null)::int as passes,
       count(*) filter (where a.outcome = 'pass')::int as outcomes, count(r.id)::int as refunds
     from user_purchases p join payment_orders o on o.purchase_id = p.id
     left join payment_attempts a on a.order_id = o.id left join refunds r on r.attempt_id = a.id
     where p.id = any($1::uuid[])`,
    ids,
  );
  const found = z.object({ passes: z.int(), outcomes: z.int(), refunds: z.int() }).parse(rows[0]);
  const right = found.passes === paid.length && found.outcomes === paid.length && found.refunds === 0;
  if (!right) wrong.push(`${what}: ${paid.length} paid, ${JSON.stringify(found)}`);
}

async function untilPasses(paid: readonly Paid[]): Promise<void> {
  const ids = paid.map(({ purchaseId }) => purchaseId);
  const missing =
    "select count(*)::int as n from user_purchases where id = any($1::uuid[]) and status <> 'completed'";
  await untilNone(() => count(missing, [ids]));
}

function untilHandled(): Promise<void> {
  return untilNone(() => count("select count(*)::int as n from gateway_events where handled_at is null"));
}

/** Gives up in the end, so that the figures are reported all the same. */
async function untilNone(left: () => Promise<number>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while ((await left()) > 0) {
    if (performance.now() > end) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function count(query: string, values: unknown[] = []): Promise<number> {
  const { rows } = await cluster.books.query<{ n: number }>(query, values);
  return rows[0]?.n ?? Number.NaN;
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

/** A few at a time; the results in the items' order. */
async function eachOf<Item, Result>(
  items: readonly Item[],
  work: (item: Item, n: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [n, item] of queue) results[n] = await work(item, n);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}
