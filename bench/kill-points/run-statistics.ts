import { quantile } from "../support/shop-process.ts";
import { TARGETS, type Target } from "./kill.ts";

/** Counts and times of a run. */
export function createRunStatistics(points: readonly string[]) {
  const rowsByPoint = new Map(points.map((point) => [point, { app: 0, database: 0, both: 0, missed: 0 }]));
  const downtimesMs: number[] = [];
  const settledMs: number[] = [];
  const problems: string[] = [];
  let deferredPayments = 0;
  const columns = [...TARGETS, "missed"] as const;

  return {
    problems,
    /** @param downMs until the shop answered again */
    recordKill(point: string, target: Target, downMs: number): void {
      const row = rowsByPoint.get(point);
      if (row) row[target]++;
      downtimesMs.push(downMs);
    },
    recordMiss(point: string): void {
      const row = rowsByPoint.get(point);
      if (row) row.missed++;
    },
    /** @param deferred payments that only the next start can settle */
    recordSettled(ms: number, deferred: number): void {
      settledMs.push(ms);
      deferredPayments += deferred;
    },

    /** One line per point: the kills by target, and the attempts that did not reach it. */
    table(): string {
      const width = Math.max(...points.map((name) => name.length));
      const line = (name: string, cells: readonly (string | number)[]) =>
        [name.padEnd(width), ...cells.map((cell) => String(cell).padStart(9))].join(" ");
      const rows = [...rowsByPoint].map(([name, row]) =>
        line(
          name,
          columns.map((column) => row[column]),
        ),
      );
      return [line("point", columns), ...rows].join("\n");
    },
    summary() {
      const rows = [...rowsByPoint.values()];
      const sum = (column: (typeof columns)[number]) => rows.reduce((total, row) => total + row[column], 0);
      return {
        kills: { app: sum("app"), database: sum("database"), both: sum("both") },
        pointsReached: rows.filter((row) => row.app + row.database + row.both > 0).length,
        pointsMissed: sum("missed"),
        downtime: describe(downtimesMs),
        settledAfterRestart: describe(settledMs),
        deferredPayments,
      };
    },
  };
}

function describe(values: readonly number[]): string {
  const [p50, max] = [quantile(values, 0.5), Math.max(...values)].map((ms) => (ms / 1000).toFixed(1));
  return `p50 ${p50} s, max ${max} s`;
}
