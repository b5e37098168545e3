// Stress test of webhooks over HTTP on the built shop, 3 processes on one Postgres: every event three times in random
// order while buyers confirm too; all events lost and the shop restarted; forged events. Every paid order must have one
// pass, no payment is refunded, and no forgery is accepted.
// node bin/daypass.mjs exec bench/webhook-stress.ts [runs]
import { createHmac } from "node:crypto";
import { z } from "zod";
import { insertTools } from "./support/in-process-shop.ts";
import { LightHttp } from "./support/light-http.ts";
import { startCluster } from "./support/shop-cluster.ts";
import { median, stopShop } from "./support/shop-process.ts";
import { type SignedInBuyer, type SignedPayment, signInBuyers } from "./support/signed-in-buyer.ts";

const RUNS = Number(process.argv[2] ?? 5);
const SHUFFLED = 200;
const LOST = 100;
const FORGED = 50;
const CONCURRENCY = 16;
const TIMEOUT_MS = 120_000;

interface Paid {
  buyer: SignedInBuyer;
  purchaseId: string;
  signedPayment: SignedPayment;
}

const cluster = await startCluster(3);
const http = new LightHttp(CONCURRENCY * 4);
const { webhooks } = cluster.gateway.control;
const seconds = { confirmed: [] as number[], shuffled: [] as number[], lost: [] as number[] };
const problems: string[] = [];
try {
  const [slug = ""] = await insertTools(cluster.database, 1);
  for (let run = 1; run <= RUNS; run++) {
    await webhooks.configure({ mode: "drop" });
    const confirmed = await startAndPay(slug, SHUFFLED);
    seconds.confirmed.push(await measureSeconds(() => confirmAll(confirmed)));
    await checkPasses("confirmations only", confirmed);

    await webhooks.configure({ mode: "hold" });
    const shuffled = await startAndPay(slug, SHUFFLED);
    const eventIds = await listEventIds(shuffled);
    const returning = shuffled.filter((_, n) => n % 2 === 0);
    const deliver = () =>
      webhooks.deliver({
        order: "shuffled",
        times: 3,
        seed: run,
        parallel: CONCURRENCY,
        includeDelivered: true,
        eventIds,
      });
    seconds.shuffled.push(
      await measureSeconds(async () => {
        await Promise.all([deliver(), confirmAll(returning)]);
        await waitForPasses(shuffled);
      }),
    );
    await waitUntilProcessed();
    await checkPasses("every event three times, shuffled", shuffled);

    const forgeries = await forge(slug, shuffled);
    if (forgeries.accepted > 0)
      problems.push(`${forgeries.accepted} of ${forgeries.sent} forgeries were accepted`);

    await webhooks.configure({ mode: "drop" });
    const lost = await startAndPay(slug, LOST);
    await Promise.all(cluster.shops.map((shop) => stopShop(shop, "SIGKILL")));
    seconds.lost.push(
      await measureSeconds(async () => {
        await cluster.restart(0);
        await waitForPasses(lost);
      }),
    );
    await checkPasses("all webhooks and confirmations lost", lost);
    for (const index of [1, 2]) await cluster.restart(index);
    console.log(
      `run ${run}: ${SHUFFLED} by confirmations only ${(seconds.confirmed.at(-1) ?? 0).toFixed(1)} s; ${eventIds.length * 3} ` +
        `webhooks shuffled ${(seconds.shuffled.at(-1) ?? 0).toFixed(1)} s; ${LOST} found after a restart ` +
        `${(seconds.lost.at(-1) ?? 0).toFixed(1)} s, start included; ${forgeries.sent} forgeries, ${forgeries.accepted} accepted`,
    );
  }
  const times = median(seconds.shuffled.map((time, run) => time / (seconds.confirmed[run] ?? Number.NaN)));
  console.log(
    `median: shuffled ${median(seconds.shuffled).toFixed(1)} s, ${times.toFixed(1)} times confirmations only`,
  );
  console.log(`median: all lost, passes ${median(seconds.lost).toFixed(1)} s after the restart began`);
  console.log(
    problems.length === 0 ? "every paid order has one pass; no forgery was accepted" : problems.join("\n"),
  );
  if (problems.length > 0) process.exitCode = 1;
} finally {
  http.close();
  await cluster.close();
}

/** Starts and pays so many checkouts, each of a new buyer. Nobody confirms yet. */
async function startAndPay(slug: string, count: number): Promise<Paid[]> {
  return mapWithConcurrency(await signInBuyers(cluster, http, count), async (buyer) => {
    const { order, status, result } = await buyer.start(slug);
    if (!order) throw new Error(`a checkout was refused with ${status} ${result}`);
    return { buyer, purchaseId: order.purchaseId, signedPayment: await buyer.pay(order.orderId) };
  });
}

async function confirmAll(paid: readonly Paid[]): Promise<void> {
  await mapWithConcurrency(paid, async ({ buyer, signedPayment }) => {
    const { status, result } = await buyer.confirm(signedPayment);
    if (result !== "success") problems.push(`a genuine confirmation was refused with ${status} ${result}`);
  });
}

async function listEventIds(paid: readonly Paid[]): Promise<string[]> {
  const orders = new Set(paid.map(({ signedPayment }) => signedPayment.razorpay_order_id));
  return (await webhooks.events()).filter(({ orderId }) => orders.has(orderId)).map(({ id }) => id);
}

/** Sends forged webhooks, and confirmations that do not belong to the buyer. */
async function forge(slug: string, paid: readonly Paid[]): Promise<{ sent: number; accepted: number }> {
  const countEvents = () => count("select count(*)::int as n from gateway_events");
  const countPasses = () => count("select count(*)::int as n from user_purchases where status = 'completed'");
  const before = { events: await countEvents(), passes: await countPasses() };
  const events = (await webhooks.events()).slice(-FORGED);
  const messages = events.flatMap(({ rawBody, signature }, n) => [
    { rawBody: rawBody.replace(/"amount":\d+/, '"amount":100'), signature },
    { rawBody: `${rawBody} `, signature },
    { rawBody, signature: createHmac("sha256", "another secret").update(rawBody).digest("hex") },
    { rawBody, signature: "" },
    { rawBody, signature: events[n - 1]?.signature ?? "0" },
  ]);
  const statuses = await mapWithConcurrency(messages, (message, n) =>
    webhooks.post({ ...message, eventId: `forged-${n}` }),
  );
  const unpaid = await mapWithConcurrency(await signInBuyers(cluster, http, FORGED), async (buyer) => {
    const { order } = await buyer.start(slug);
    return { buyer, orderId: order?.orderId ?? "" };
  });
  const confirmations = await mapWithConcurrency(unpaid, async ({ buyer, orderId }, n) => {
    const other = paid[n]?.signedPayment;
    if (!other) throw new Error("too few paid orders");
    return [
      // Another order's payment and signature for the own order; another buyer's confirmation; an invented signature.
      await buyer.confirm({ ...other, razorpay_order_id: orderId }),
      await buyer.confirm(other),
      await buyer.confirm({ ...other, razorpay_order_id: orderId, razorpay_signature: "0".repeat(64) }),
    ];
  });
  const accepted =
    statuses.filter((status) => status === null || status < 400).length +
    confirmations.flat().filter(({ status }) => status < 400).length;
  const stored = (await countEvents()) - before.events + (await countPasses()) - before.passes;
  return { sent: messages.length + confirmations.flat().length, accepted: Math.max(accepted, stored) };
}

/** Checks that each payment has one pass, and that there is no refund and no other capture. */
async function checkPasses(what: string, paid: readonly Paid[]): Promise<void> {
  const ids = [paid.map(({ purchaseId }) => purchaseId)];
  const { rows } = await cluster.database.query(
    `select count(distinct p.id) filter (where p.status = 'completed' and p.ended_at is null)::int as passes,
       count(*) filter (where a.outcome = 'pass')::int as outcomes, count(r.id)::int as refunds
     from user_purchases p join payment_orders o on o.purchase_id = p.id
     left join payment_attempts a on a.order_id = o.id left join refunds r on r.attempt_id = a.id
     where p.id = any($1::uuid[])`,
    ids,
  );
  const found = z.object({ passes: z.int(), outcomes: z.int(), refunds: z.int() }).parse(rows[0]);
  const right = found.passes === paid.length && found.outcomes === paid.length && found.refunds === 0;
  if (!right) problems.push(`${what}: ${paid.length} paid, ${JSON.stringify(found)}`);
}

async function waitForPasses(paid: readonly Paid[]): Promise<void> {
  const ids = paid.map(({ purchaseId }) => purchaseId);
  const missing =
    "select count(*)::int as n from user_purchases where id = any($1::uuid[]) and status <> 'completed'";
  await waitUntilZero(() => count(missing, [ids]));
}

function waitUntilProcessed(): Promise<void> {
  return waitUntilZero(() => count("select count(*)::int as n from gateway_events where handled_at is null"));
}

/** Returns after the timeout too, so that the figures are reported. */
async function waitUntilZero(left: () => Promise<number>): Promise<void> {
  const end = performance.now() + TIMEOUT_MS;
  while ((await left()) > 0) {
    if (performance.now() > end) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function count(query: string, values: unknown[] = []): Promise<number> {
  const { rows } = await cluster.database.query<{ n: number }>(query, values);
  return rows[0]?.n ?? Number.NaN;
}

async function measureSeconds(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

/** Results are in the order of the items. */
async function mapWithConcurrency<Item, Result>(
  items: readonly Item[],
  work: (item: Item, n: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [n, item] of queue) results[n] = await work(item, n);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return results;
}
