import { placeOf } from "./places.ts";
import { type Breach, isTest, type SizedFunction, type SourceFile } from "./source-file.ts";

const FILE = { longest: 400, p95: 280, median: 80 };
const FUNCTION = { longest: 200, p95: { core: 60, app: 120 } };

interface Item {
  file: string;
  line: number;
  lines: number;
  name: string;
}

export interface Sizes {
  breaches: Breach[];
  /** One line per measure, ready to print. */
  summary: string[];
}

/** Lengths of files and named functions against the limits of the house. Percentiles are by nearest rank. */
export function measureSizes(all: readonly SourceFile[]): Sizes {
  const measured = all.filter((file) => !isGenerated(file.path));
  const product = measured.filter((file) => !isTest(file.path));
  const files = product.map((file) => ({ file: file.path, line: 1, lines: file.lines, name: file.path }));
  const inCore = functionsOf(product, ["core"]);
  const inApp = functionsOf(product, ["app", "app/ui"]);
  const anywhere = product.flatMap((file) => file.functions.map((one) => asItem(file, one)));
  return {
    breaches: [
      ...measured.filter((file) => file.lines > FILE.longest).map(tooLongFile),
      ...percentileBreach(files, 95, FILE.p95, "files"),
      ...percentileBreach(files, 50, FILE.median, "files"),
      ...percentileBreach(inCore, 95, FUNCTION.p95.core, "functions in core"),
      ...percentileBreach(inApp, 95, FUNCTION.p95.app, "functions in app"),
      ...anywhere.filter((one) => one.lines > FUNCTION.longest).map(tooLongFunction),
    ],
    summary: [
      describeSizes("files", files),
      describeSizes("functions in core", inCore),
      describeSizes("functions in app", inApp),
      describeSizes(
        "functions anywhere",
        anywhere.filter((one) => one.name !== ""),
      ),
    ],
  };
}

/** Written by tools or holding data only: long without being hard to read. */
function isGenerated(path: string): boolean {
  return path.startsWith("db/migrations/") || /\.data\.ts$/.test(path);
}

function functionsOf(files: readonly SourceFile[], places: readonly string[]): Item[] {
  return files
    .filter((file) => places.includes(placeOf(file.path) ?? ""))
    .flatMap((file) => file.functions.filter((one) => one.name !== "").map((one) => asItem(file, one)));
}

function asItem(file: SourceFile, one: SizedFunction): Item {
  return { file: file.path, line: one.line, lines: one.lines, name: one.name };
}

function tooLongFile(file: SourceFile): Breach {
  return { file: file.path, line: 1, message: `is ${file.lines} lines long (at most ${FILE.longest})` };
}

function tooLongFunction({ file, line, lines, name }: Item): Breach {
  const what = name === "" ? "a function" : `the function ${name}`;
  return { file, line, message: `${what} is ${lines} lines long (at most ${FUNCTION.longest})` };
}

function percentileBreach(items: readonly Item[], percent: number, limit: number, what: string): Breach[] {
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
  if (items.length === 0) return `${what}: none`;
  const longest = percentile(items, 100);
  const place =
    longest && longest.name !== longest.file
      ? ` (${longest.name} in ${longest.file})`
      : ` (${longest?.file})`;
  const median = percentile(items, 50)?.lines;
  const p95 = percentile(items, 95)?.lines;
  return `${what}: ${items.length}, lines median ${median}, 95th percentile ${p95}, longest ${longest?.lines}${place}`;
}
