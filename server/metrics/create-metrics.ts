import type { Pool } from "pg";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Context } from "#core/context.ts";
import { readOperatingStatistics } from "#core/reports/read-operating-statistics.server.ts";
import type { LiveStreams } from "../http/live/live-streams.ts";
import type { FinishedRequest } from "../http/request-listener.ts";
import { routeGroup } from "./route-group.ts";
import { describeStatistics } from "./shop-statistics.ts";

export interface Metrics {
  /** Counts a request. */
  observe(request: FinishedRequest): void;
  /** Counts an error that no code handled and that ended one request only. */
  countContainedFault(): void;
  /** Returns all metrics as Prometheus text; without a database only those of the process. */
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
