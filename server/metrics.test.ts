import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { auditLedger } from "#core/reports/audit-ledger.server.ts";
import { openDatabase } from "#db/database.ts";
import { mailMessages } from "#db/tables/operations.ts";
import { unknownPayments, webhookEvents } from "#db/tables/payments.ts";
import { insertPayment } from "../tests/fixtures/insert-payment.ts";
import { markRestored } from "../tests/fixtures/restored-shop.ts";
import { type SandboxShop, startSandboxShop } from "../tests/fixtures/sandbox-shop.ts";
import { readEnv } from "./env.ts";
import { createApp } from "./http/app.ts";
import { createHttpServer } from "./http/http-server.ts";
import { createMetrics } from "./metrics.ts";

const TOKEN = "a-token-for-the-tests";
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const log = { ...silent, child: () => silent };

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

/** Serves the shop's HTTP app on a port of its own. Every page answers 404, and /broken fails. */
async function serve(environment: NodeJS.ProcessEnv, pool = shop.pool, db = shop.db) {
  const env = readEnv(environment);
  const metrics = createMetrics({
    pool,
    systemContext: () => ({ ...shop.system(), db }),
    liveStreams: { count: () => 3 },
  });
  const app = createApp({
    env,
    systemContext: () => shop.system(),
    visitorContext: () => shop.visitor(),
    contextFor: async () => ({ ctx: shop.visitor(), setCookies: [] }),
    render: async ({ request }) => {
      if (request.url.endsWith("/broken")) throw new Error("broken");
      return new Response("No such page.", { status: 404 });
    },
    sandboxGateway: null,
    liveStreams: { open: () => null, count: () => 0, stop() {} },
    mountFiles: () => undefined,
    pageCache: null,
    development: false,
    metrics,
  });
  const server = createHttpServer({
    app,
    env,
    log,
    refusals: { count() {}, flush() {} },
    addressOf: () => "203.0.113.7",
    isTrustedProxy: () => false,
    observe: (request) => metrics.observe(request),
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("the server has no port");
  const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    fetch(`http://127.0.0.1:${bound.port}${path}`, { method, headers: { connection: "close", ...headers } });
  const scrape = async () => (await ask("/metrics", { authorization: `Bearer ${TOKEN}` })).text();
  return { ask, scrape };
}

const open = () => serve({ METRICS_TOKEN: TOKEN });

/** The value of a series, such as `daypass_refunds{status="failed"}`. */
function seriesValue(text: string, series: string): number | undefined {
  const line = text.split("\n").find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

test("/metrics does not exist while METRICS_TOKEN is unset", async () => {
  const { ask } = await serve({});
  const answer = await ask("/metrics", { authorization: "Bearer undefined" });
  expect(answer.status).toBe(404);
  expect(await answer.text()).toBe("No such page.");
});

test.each([
  {},
  { authorization: "" },
  { authorization: "Bearer" },
  { authorization: TOKEN },
  { authorization: `Basic ${TOKEN}` },
  { authorization: `Bearer ${TOKEN}x` },
  { authorization: `Bearer ${TOKEN.slice(0, -1)}` },
  { authorization: `Bearer ${"x".repeat(TOKEN.length)}` },
])("a request without the token is refused: %o", async (headers) => {
  const { ask } = await open();
  const answer = await ask("/metrics", headers);
  expect(answer.status).toBe(401);
  expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  expect(await answer.text()).not.toContain("daypass_");
});

test("a request with the token gets Prometheus text that no cache keeps", async () => {
  const { ask } = await open();
  const answer = await ask("/metrics", { authorization: `Bearer ${TOKEN}` });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const text = await answer.text();
  expect(seriesValue(text, "process_cpu_seconds_total")).toBeGreaterThan(0);
  expect(seriesValue(text, 'daypass_database_connections{state="idle"}')).toBeGreaterThanOrEqual(0);
  expect(seriesValue(text, "daypass_database_up")).toBe(1);
  expect(seriesValue(text, "daypass_live_streams")).toBe(3);
});

test("an unaccounted payment shows in the metrics after the next ledger audit", async () => {
  const { scrape } = await open();
  expect(
    seriesValue(await scrape(), "daypass_unaccounted_payments"),
    "before the first audit",
  ).toBeUndefined();
  await auditLedger(shop.system());
  expect(seriesValue(await scrape(), "daypass_unaccounted_payments")).toBe(0);
  await insertPayment(shop, { attempt: { outcome: null } });
  await auditLedger(shop.system());
  shop.clock.advance(90_000);
  const text = await scrape();
  expect(seriesValue(text, "daypass_unaccounted_payments")).toBe(1);
  expect(seriesValue(text, 'daypass_money_findings{kind="no-outcome"}')).toBe(1);
  expect(seriesValue(text, 'daypass_money_findings{kind="refund-failed"}')).toBe(0);
  expect(seriesValue(text, "daypass_money_watch_age_seconds")).toBe(90);
});

test("the metrics count refunds by status, open orders, waiting mails and webhook events", async () => {
  const { scrape } = await open();
  const before = await scrape();
  await insertPayment(shop, { attempt: { outcome: "refund" }, refunds: [{ status: "failed" }] });
  await insertPayment(shop, { order: { state: "open" } });
  await insertPayment(shop, { order: { state: "creating" } });
  await insertPayment(shop, { order: { state: "closed" } });
  const mail = { recipient: "a@example.com", kind: "k", subject: "s", html: "h", text: "t" };
  await shop.db.insert(mailMessages).values([mail, { ...mail, status: "sent" }]);
  const createdAt = shop.clock.now();
  const event = { gateway: "sandbox", type: "order.paid", payload: "{}", createdAt };
  await shop.db.insert(webhookEvents).values([
    { ...event, eventId: "waits" },
    { ...event, eventId: "handled", createdAt: new Date(0), processedAt: createdAt },
    { ...event, eventId: "of another gateway", createdAt: new Date(0), gateway: "razorpay" },
  ]);
  await markRestored(shop.db, { backupAt: createdAt, restoredAt: createdAt });
  const payment = {
    gateway: "sandbox",
    testMode: true,
    gatewayOrderId: "order_1",
    receipt: "r",
    amountPaise: 100,
    currency: "INR",
    paidAt: createdAt,
  };
  await shop.db.insert(unknownPayments).values([
    { ...payment, gatewayPaymentId: "pay_1" },
    { ...payment, gatewayPaymentId: "pay_2", state: "refunded" },
  ]);
  shop.clock.advance(2_500);
  const after = await scrape();
  const grown = (series: string) =>
    (seriesValue(after, series) ?? Number.NaN) - (seriesValue(before, series) ?? 0);
  expect(grown('daypass_refunds{status="failed"}')).toBe(1);
  expect(seriesValue(after, 'daypass_refunds{status="requested"}')).toBe(0);
  expect(grown("daypass_payment_orders_open")).toBe(2);
  expect(grown("daypass_mail_waiting")).toBe(1);
  expect(grown("daypass_restore_unconfirmed")).toBe(1);
  expect(grown("daypass_unknown_payments")).toBe(1);
  expect(seriesValue(before, "daypass_oldest_unhandled_event_seconds")).toBe(0);
  expect(seriesValue(after, "daypass_oldest_unhandled_event_seconds")).toBe(2.5);
});

test("statistics are left out of the metrics while the database is unavailable", async () => {
  const gone = openDatabase(shop.url, { onBrokenConnection: () => undefined });
  await gone.close();
  const { scrape } = await serve({ METRICS_TOKEN: TOKEN }, gone.pool, gone.db);
  const text = await scrape();
  expect(seriesValue(text, "daypass_database_up")).toBe(0);
  expect(seriesValue(text, "process_cpu_seconds_total")).toBeGreaterThan(0);
  expect(text).not.toContain("daypass_unaccounted_payments");
});

test("requests are counted by method, status class and part of the shop, never by their path", async () => {
  const { ask, scrape } = await open();
  for (const path of ["/tools/secret-tool", "/tools/other", "/broken", "/metrics"])
    await (await ask(path)).text();
  await (await ask("/checkout/start", {}, "PROPFIND")).text();
  const text = await scrape();
  expect(seriesValue(text, 'daypass_http_requests_total{method="GET",status_class="4xx"}')).toBe(3);
  expect(seriesValue(text, 'daypass_http_requests_total{method="GET",status_class="5xx"}')).toBe(1);
  expect(seriesValue(text, 'daypass_http_requests_total{method="other",status_class="4xx"}')).toBe(1);
  expect(seriesValue(text, 'daypass_http_request_duration_seconds_count{route="tools"}')).toBe(2);
  expect(seriesValue(text, 'daypass_http_request_duration_seconds_count{route="other"}')).toBe(1);
  expect(text).not.toContain("secret-tool");
});
