// Two processes of the built shop on one Postgres behind PgBouncer (transaction mode): buyers sign up, sign in, pay, confirm at
// the one process and open their pass at the other. Fails on every response of 500 or more, and on a paid pass that does not open.
// Median of 5 runs. node bin/daypass.mjs exec bench/pooler.ts [buyers per run] [runs]
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { type HttpResponse, LightHttp } from "./support/light-http.ts";
import { startCluster } from "./support/shop-cluster.ts";
import { median } from "./support/shop-process.ts";

const BUYERS = Number(process.argv[2] ?? 60);
const RUNS = Number(process.argv[3] ?? 5);
const CONCURRENCY = 12;
const SLUG = "canva";
const PASSWORD = "a-fine-password-7";

const started = z.object({ ok: z.literal(true), gatewayOrderId: z.string() });
const payment = z.object({
  razorpay_payment_id: z.string(),
  razorpay_order_id: z.string(),
  razorpay_signature: z.string(),
});
const revealed = z.object({ ok: z.literal(true), simpleCode: z.string().min(1) });

const cluster = await startCluster(2, { pooler: true, env: { DEMO: "1", TRUSTED_PROXIES: "127.0.0.1" } });
const http = new LightHttp(CONCURRENCY * 2);
const problems: string[] = [];
let addresses = 0;
try {
  const { rows } = await cluster.database.query(
    "select servers -> 0 ->> 'id' as id from tools where slug = $1",
    [SLUG],
  );
  const serverId = z.object({ id: z.string() }).parse(rows[0]).id;
  await cluster.database.query("update tools set available_stock = 1000000 where slug = $1", [SLUG]);
  const perSecond: number[] = [];
  for (let run = 1; run <= RUNS; run++) {
    const began = performance.now();
    let left = BUYERS;
    let opened = 0;
    const buyOneByOne = async () => {
      while (left-- > 0) if (await buyAndOpen(serverId, left)) opened++;
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, buyOneByOne));
    perSecond.push(BUYERS / ((performance.now() - began) / 1000));
    console.log(
      `run ${run}: ${opened} of ${BUYERS} passes opened, ${(perSecond.at(-1) ?? 0).toFixed(1)} buyers/s`,
    );
  }
  console.log(`median: ${median(perSecond).toFixed(1)} buyers/s`);
} finally {
  http.close();
  await cluster.close();
}
for (const problem of problems.slice(0, 20)) console.error(problem);
console.log(`problems: ${problems.length}`);
if (problems.length > 0) process.exitCode = 1;

/** @returns whether the code of the paid pass was revealed */
async function buyAndOpen(serverId: string, n: number): Promise<boolean> {
  const urls = cluster.shops.map((shop) => shop.url);
  const [first = "", second = ""] = n % 2 === 0 ? urls : urls.toReversed();
  const address = `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses++ & 255}`;
  const base = { origin: cluster.origin, "x-forwarded-for": address };
  const account = JSON.stringify({ email: `${randomUUID()}@example.com`, password: PASSWORD });
  const json = { ...base, "content-type": "application/json" };
  const signedUp = await post(`${first}/api/auth/sign-up/email`, account, json);
  const signedIn = await post(`${second}/api/auth/sign-in/email`, account, json);
  if (signedUp.status !== 200 || signedIn.status !== 200) return refused("sign-in", signedIn);
  const form = { ...base, cookie: signedIn.cookie, "content-type": "application/x-www-form-urlencoded" };
  const start = await post(`${first}/checkout/start`, `slug=${SLUG}`, form);
  const order = started.safeParse(parse(start.text));
  if (!order.success) return refused("start", start);
  const paid = await post(
    `${cluster.gateway.url}/control/pay`,
    JSON.stringify([order.data.gatewayOrderId]),
    {},
  );
  const signed = payment.parse(parse(paid.text));
  const {
    razorpay_order_id: gatewayOrderId,
    razorpay_payment_id: gatewayPaymentId,
    razorpay_signature: signature,
  } = signed;
  const confirmation = new URLSearchParams({ gatewayOrderId, gatewayPaymentId, signature }).toString();
  const confirmed = await post(`${first}/checkout/confirm`, confirmation, form);
  if (confirmed.status !== 200) return refused("confirm", confirmed);
  const reveal = await post(`${second}/tools/${SLUG}/code`, `serverId=${serverId}`, form);
  return revealed.safeParse(parse(reveal.text)).success || refused("reveal", reveal);
}

/** A busy shop asks to be asked again. */
async function post(url: string, body: string, headers: Record<string, string>): Promise<HttpResponse> {
  let response = await http.post(url, body, headers);
  for (let n = 0; n < 10 && response.status === 503; n++) {
    await delay(1000);
    response = await http.post(url, body, headers);
  }
  if (response.status >= 500) problems.push(`${url}: ${response.status} ${response.text.slice(0, 120)}`);
  return response;
}

function refused(step: string, { status, text }: HttpResponse): false {
  problems.push(`${step}: ${status} ${text.slice(0, 120)}`);
  return false;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
