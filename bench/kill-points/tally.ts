import { quantile } from "../shop-process.ts";
import { TARGETS, type Target } from "./kill.ts";

/** What a run has seen. */
export function startTally(points: readonly string[]) {
  const hits = new Map(points.map((point) => [point, { app: 0, database: 0, both: 0, missed: 0 }]));
  const backMs: number[] = [];
  const accountedMs: number[] = [];
  const problems: string[] = [];
  let leftToNextStart = 0;
  const columns = [...TARGETS, "missed"] as const;

  return {
    problems,
    /** @param downMs until the shop answered again */
    hit(point: string, target: Target, downMs: number): void {
      const row = hits.get(point);
      if (row) row[target]++;
      backMs.push(downMs);
    },
    missed(point: string): void {
      const row = hits.get(point);
      if (row) row.missed++;
    },
    /** @param excused payments that are left to the next start */
    accounted(ms: number, excused: number): void {
      accountedMs.push(ms);
      leftToNextStart += excused;
    },

    /** One line a point: how often it was hit, and how often it was aimed at in vain. */
    table(): string {
      const width = Math.max(...points.map((name) => name.length));
      const line = (name: string, cells: readonly (string | number)[]) =>
        [name.padEnd(width), ...cells.map((cell) => String(cell).padStart(9))].join(" ");
      const rows = [...hits].map(([name, row]) =>
        line(
          name,
          columns.map((column) => row[column]),
        ),
      );
      return [line("point", columns), ...rows].join("\n");
    },
    summary() {
      const rows = [...hits.values()];
      const sum = (column: (typeof columns)[number]) => rows.reduce((total, row) => total + row[column], 0);
      return {
        kills: { app: sum("app"), database: sum("database"), both: sum("both") },
        pointsHit: rows.filter((row) => row.app + row.database + row.both > 0).length,
        pointsMissed: sum("missed"),
        backAfterKill: describe(backMs),
        accountedAfterThat: describe(accountedMs),
        leftToNextStart,
      };
    },
  };
}

function describe(values: readonly number[]): string {
  const [half, most] = [quantile(values, 0.5), Math.max(...values)].map((ms) => (ms / 1000).toFixed(1));
  return `p50 ${half} s, max ${most} s`;
}
