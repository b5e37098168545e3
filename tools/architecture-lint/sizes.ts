import { layerOf } from "./layers.ts";
import { isTest, type SourceFile, type Violation } from "./source-file.ts";

const FILE = { p95: 280, median: 80 };
const FUNCTION = { p95: { core: 60, app: 120 } };

interface Item {
  file: string;
  line: number;
  lines: number;
  name: string;
}

export interface Sizes {
  violations: Violation[];
  /** One line for each measure, ready to print. */
  summary: string[];
}

/**
 * Percentiles of the lengths of files and named functions, by nearest rank. Biome limits the length of the single file and
 * the single function.
 */
export function measureSizes(all: readonly SourceFile[]): Sizes {
  const product = all.filter((file) => !isGenerated(file.path) && !isTest(file.path));
  const files = product.map((file) => ({ file: file.path, line: 1, lines: file.lines, name: file.path }));
  const functions = product.flatMap((file) => file.functions.map((one) => ({ file: file.path, ...one })));
  const inCore = functions.filter((one) => layerOf(one.file) === "core");
  const inApp = functions.filter((one) => layerOf(one.file) === "app");
  return {
    violations: [
      ...percentileViolations(files, 95, FILE.p95, "files"),
      ...percentileViolations(files, 50, FILE.median, "files"),
      ...percentileViolations(inCore, 95, FUNCTION.p95.core, "functions in core"),
      ...percentileViolations(inApp, 95, FUNCTION.p95.app, "functions in app"),
    ],
    summary: [
      describeSizes("files", files),
      describeSizes("functions in core", inCore),
      describeSizes("functions in app", inApp),
      describeSizes("functions anywhere", functions),
    ],
  };
}

/** Written by a tool, or data only: a long one is not hard to read. */
function isGenerated(path: string): boolean {
  return path.startsWith("db/migrations/") || /\.data\.ts$/.test(path);
}

function percentileViolations(
  items: readonly Item[],
  percent: number,
  limit: number,
  what: string,
): Violation[] {
  const found = percentile(items, percent);
  if (!found || found.lines <= limit) return [];
  const over = items.filter((one) => one.lines > limit).length;
  const measure = percent === 50 ? "the median" : `the ${percent}th percentile`;
  const message = `${measure} of ${what} is ${found.lines} lines (at most ${limit}), here; ${over} of ${items.length} are longer than that limit`;
  return [{ file: found.file, line: found.line, message }];
}

function percentile(items: readonly Item[], percent: number): Item | undefined {
  const sorted = items.toSorted((a, b) => a.lines - b.lines);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)];
}

function describeSizes(what: string, items: readonly Item[]): string {
  const longest = percentile(items, 100);
  if (!longest) return `${what}: none`;
  const place = longest.name === longest.file ? longest.file : `${longest.name} in ${longest.file}`;
  const median = percentile(items, 50)?.lines;
  const p95 = percentile(items, 95)?.lines;
  return `${what}: ${items.length}, lines median ${median}, 95th percentile ${p95}, longest ${longest.lines} (${place})`;
}
