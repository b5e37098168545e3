import type { Pool } from "pg";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Context } from "#core/context.ts";
import { readOperatingStatistics } from "#core/reports/read-operating-statistics.server.ts";
import type { FinishedRequest } from "../http/request-listener.ts";
import { routeGroup } from "./route-group.ts";
import { describeStatistics } from "./shop-statistics.ts";

export interface Metrics {
  /** Counts a request. */
  observe(request: FinishedRequest): void;
  /** Counts an error that no code handled and that ended one request only. */
  countContainedFault(): void;
  /** Everything there is to know, as Prometheus text. Without a database, what the process itself knows. */
  read(): Promise<{ text: string; contentType: string }>;
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const METHODS = new Set(["GET", "HEAD", "POST"]);

/** Measures this process, and the shop behind it whenever it is asked. */
export function createMetrics(options: { systemContext(): Context; pool: Pool }): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const connections = new Gauge({
    name: "daypass_database_connections",
    help: "Connections of this process, and work that waits for one",
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
  const databaseUp = new Gauge({
    name: "daypass_database_up",
    help: "Whether the shop's figures could be read",
    registers,
  });
  return {
    observe({ method, path, status, seconds }) {
      const known = METHODS.has(method) ? method : "other";
      requests.inc({ method: known, status_class: `${Math.floor(status / 100)}xx` });
      durations.observe({ route: routeGroup(path) }, seconds);
    },
    countContainedFault() {
      containedFaults.inc();
    },
    async read() {
      // First, so that the reading of the figures is not among them.
      setConnections(connections, options.pool);
      const figures = await readFigures(options.systemContext());
      databaseUp.set(figures === null ? 0 : 1);
      const text = `${await registry.metrics()}\n${figures ?? ""}`;
      return { text, contentType: registry.contentType };
    },
  };
}

async function readFigures(ctx: Context): Promise<string | null> {
  try {
    return await describeStatistics(await readOperatingStatistics(ctx), ctx.clock.now());
  } catch (error) {
    ctx.log.error({ err: error }, "the figures for the metrics could not be read");
    return null;
  }
}

function setConnections(gauge: Gauge<"state">, { totalCount, idleCount, waitingCount }: Pool): void {
  gauge.set({ state: "busy" }, totalCount - idleCount);
  gauge.set({ state: "idle" }, idleCount);
  gauge.set({ state: "waited_for" }, waitingCount);
}
