import { createHash, timingSafeEqual } from "node:crypto";
import type { Env, Hono } from "hono";
import type { Pool } from "pg";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Context } from "#core/context.ts";
import {
  countUnaccountedPayments,
  DISCREPANCY_KINDS,
  type DiscrepancyKind,
} from "#core/reports/discrepancies.ts";
import {
  type OperatingStatistics,
  readOperatingStatistics,
} from "#core/reports/read-operating-statistics.server.ts";
import type { LiveStreams } from "./http/live.ts";
import type { FinishedRequest } from "./http/request-listener.ts";

export interface Metrics {
  /** Counts a request. */
  observe(request: FinishedRequest): void;
  /** Counts an error that no code handled and that ended one request only. */
  countContainedFault(): void;
  /** Returns all metrics as Prometheus text; without a database only the metrics of the process. */
  read(): Promise<{ text: string; contentType: string }>;
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const METHODS = new Set(["GET", "HEAD", "POST"]);

/** Measures this process. The statistics of the shop are read at each scrape. */
export function createMetrics(options: {
  systemContext(): Context;
  pool: Pool;
  liveStreams: Pick<LiveStreams, "count">;
}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const connections = new Gauge({
    name: "daypass_database_connections",
    help: "Database connections of this process, and work that waits for one",
    labelNames: ["state"],
    registers,
  });
  const requests = new Counter({
    name: "daypass_http_requests_total",
    help: "Requests answered",
    labelNames: ["method", "status_class"],
    registers,
  });
  const durations = new Histogram({
    name: "daypass_http_request_duration_seconds",
    help: "Time from the request to the end of its answer, by part of the shop",
    labelNames: ["route"],
    buckets: SECONDS,
    registers,
  });
  const containedFaults = new Counter({
    name: "daypass_contained_faults_total",
    help: "Errors that no code handled and that ended one request only",
    registers,
  });
  const liveStreams = new Gauge({
    name: "daypass_live_streams",
    help: "Open streams of live updates",
    registers,
  });
  const databaseUp = new Gauge({
    name: "daypass_database_up",
    help: "Whether the statistics could be read from the database",
    registers,
  });
  return {
    observe({ method, path, status, seconds }) {
      const known = METHODS.has(method) ? method : "other";
      requests.inc({ method: known, status_class: `${Math.floor(status / 100)}xx` });
      const route = routeGroup(path);
      // A stream of events is open as long as its client wants.
      if (route !== "live") durations.observe({ route }, seconds);
    },
    countContainedFault() {
      containedFaults.inc();
    },
    async read() {
      // Before the statistics are read, so that their own connection is not counted.
      setConnections(connections, options.pool);
      liveStreams.set(options.liveStreams.count());
      const statistics = await readStatistics(options.systemContext());
      databaseUp.set(statistics === null ? 0 : 1);
      const text = `${await registry.metrics()}\n${statistics ?? ""}`;
      return { text, contentType: registry.contentType };
    },
  };
}

async function readStatistics(ctx: Context): Promise<string | null> {
  try {
    return await describeStatistics(await readOperatingStatistics(ctx), ctx.clock.now());
  } catch (error) {
    ctx.log.error({ err: error }, "the statistics for the metrics could not be read");
    return null;
  }
}

function setConnections(gauge: Gauge<"state">, { totalCount, idleCount, waitingCount }: Pool): void {
  gauge.set({ state: "busy" }, totalCount - idleCount);
  gauge.set({ state: "idle" }, idleCount);
  gauge.set({ state: "waited_for" }, waitingCount);
}

const GROUPS: Readonly<Record<string, string>> = {
  "": "home",
  _root: "home",
  shop: "shop",
  terms: "texts",
  refunds: "texts",
  privacy: "texts",
  contact: "texts",
  "sitemap.xml": "files",
  "robots.txt": "files",
  "manifest.webmanifest": "files",
  dashboard: "dashboard",
  "test-user-data": "dashboard",
  account: "account",
  reminders: "account",
  giveaway: "giveaway",
  language: "home",
  admin: "admin",
  auth: "auth",
  api: "auth",
  "sign-in": "auth",
  "sign-up": "auth",
  "forgot-password": "auth",
  "reset-password": "auth",
  checkout: "checkout",
  tools: "tools",
  aihumanizer: "tools",
  live: "live",
  webhooks: "webhooks",
  "sandbox-gateway": "sandbox",
  assets: "files",
  logos: "files",
  healthz: "health",
  readyz: "health",
  metrics: "health",
};

/** The part of the shop that a path belongs to: one of a few names, so that a metric has few series. */
export function routeGroup(path: string): string {
  // The router requests the data of a page at the page's address with this ending.
  const first = path.split("/", 2)[1]?.replace(/\.data$/, "") ?? "";
  return Object.hasOwn(GROUPS, first) ? (GROUPS[first] ?? "other") : "other";
}

/** Formats the statistics as Prometheus text. Each call uses a new registry, so that no value is older than `statistics`. */
function describeStatistics(statistics: OperatingStatistics, now: Date): Promise<string> {
  const registry = new Registry();
  const gauge = (name: string, help: string, value: number) =>
    new Gauge({ name: `daypass_${name}`, help, registers: [registry] }).set(value);
  const { ledgerAudit } = statistics;
  if (ledgerAudit) {
    const seconds = (now.getTime() - Date.parse(ledgerAudit.at)) / 1000;
    gauge(
      "unaccounted_payments",
      "Captured payments without exactly one pass, refund or audited cancellation",
      countUnaccountedPayments(ledgerAudit.counts),
    );
    gauge("money_watch_age_seconds", "Time since the last ledger audit", Math.max(0, seconds));
    describeDiscrepancies(registry, ledgerAudit.counts);
  }
  const refunds = new Gauge({
    name: "daypass_refunds",
    help: "Refunds by status",
    labelNames: ["status"],
    registers: [registry],
  });
  for (const [status, number] of Object.entries(statistics.refunds)) refunds.set({ status }, number);
  gauge("payment_orders_open", "Payment orders that are still open", statistics.openOrders);
  gauge(
    "oldest_unhandled_event_seconds",
    "Age of the oldest webhook event that is not processed yet",
    statistics.oldestUnprocessedEventSeconds,
  );
  gauge(
    "restore_unconfirmed",
    "1: the shop was restored from a backup, and waits until an admin confirms it",
    statistics.isUnconfirmedRestore ? 1 : 0,
  );
  gauge(
    "unknown_payments",
    "Payments that are missing from the backup, neither assigned nor refunded",
    statistics.unknownPayments,
  );
  gauge("mail_waiting", "Mails in the outbox that are not sent yet", statistics.mailWaiting);
  gauge(
    "backup_verified_timestamp_seconds",
    "Unix time of the last backup that was restored into a scratch database without a difference; 0 before the first one",
    statistics.backupVerifiedSeconds,
  );
  return registry.metrics();
}

function describeDiscrepancies(registry: Registry, counts: Partial<Record<DiscrepancyKind, number>>): void {
  const discrepancies = new Gauge({
    name: "daypass_money_findings",
    help: "Discrepancies that the last ledger audit found, by kind",
    labelNames: ["kind"],
    registers: [registry],
  });
  for (const kind of DISCREPANCY_KINDS) discrepancies.set({ kind }, counts[kind] ?? 0);
}

/** Serves GET /metrics to callers that send `Authorization: Bearer <token>`; 401 to others. */
export function mountMetrics<E extends Env>(app: Hono<E>, metrics: Metrics, token: string): void {
  app.get("/metrics", async (c) => {
    c.header("cache-control", "no-store");
    if (!isSame(c.req.header("authorization") ?? "", `Bearer ${token}`)) {
      c.header("www-authenticate", "Bearer");
      return c.text("A token is needed.", 401);
    }
    const { text, contentType } = await metrics.read();
    c.header("content-type", contentType);
    return c.body(text);
  });
}

/** Compares in constant time. Digests are compared, because the comparison needs equal lengths. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
