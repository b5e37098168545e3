import { once } from "node:events";
import { createWriteStream, mkdirSync } from "node:fs";
import { join } from "node:path";
import { openDocumentExport } from "#adapters/document-export/document-export.ts";
import { recogniseCollection } from "#core/import/collections.ts";
import { importShop } from "#core/import/import-shop.server.ts";
import { formatLine, formatSummary, type ReportLine } from "#core/import/report.ts";
import { compose } from "./compose.ts";
import type { Env } from "./env.ts";
import { createLog, createOutageLog } from "./log.ts";
import { readDemoCatalogue, setUpStore } from "./set-up-store.ts";
import type { ImportArguments } from "./start/import-arguments.ts";

/** At most this many lines that need the owner's attention are printed; the file has every line. */
const PRINTED_LINES = 20;

/**
 * Imports an old shop and prints what became of it. Every line of the report is in a file that only the owner of the process can
 * read. The shop may run, or may never have been started.
 */
export async function importShopAndPrint(options: {
  env: Env;
  databaseUrl: string;
  databaseDirectUrl: string;
  embedded: boolean;
  import: ImportArguments | null;
  stop: AbortSignal;
}): Promise<void> {
  const { env, stop } = options;
  if (options.import === null) throw new Error("the import has no arguments");
  const { path, dryRun, removesDemo } = options.import;
  const source = await openDocumentExport(path, {
    isCollection: (name) => recogniseCollection(name) !== null,
    signal: stop,
  });
  const shop = await compose(env, options.databaseUrl, options.embedded, createOutageLog(createLog("warn")));
  try {
    // Without the demo: a new shop that imports its tools needs none.
    const admin = await setUpStore({ ...env, demo: false }, shop, options.databaseDirectUrl);
    if (admin.generatedPassword !== undefined)
      print([`Admin: ${admin.email}. Password (shown this once): ${admin.generatedPassword}`]);
    const report = openReport(join(env.dataDir, "imports"));
    print([
      dryRun ? "Dry run: nothing is imported." : "Importing.",
      `Every line of the report: ${report.path}`,
    ]);
    const printed: string[] = [];
    let unprinted = 0;
    const summary = await importShop(shop.systemContext(), source, {
      dryRun,
      removesDemo,
      demo: await readDemoCatalogue(),
      signal: stop,
      listener: {
        onLine: (line) => {
          const text = formatLine(line);
          report.write(text);
          if (!isSerious(line)) return;
          if (printed.length < PRINTED_LINES) printed.push(text);
          else unprinted += 1;
        },
        onNotice: report.write,
        onProgress: (collection, read) => {
          if (read % 10_000 === 0) print([`${collection}: ${read} read`]);
        },
      },
    });
    const lines = formatSummary(summary);
    for (const line of lines) report.write(line);
    await report.close();
    print([...printed, ...(unprinted > 0 ? [`… and ${unprinted} more in the report.`] : []), "", ...lines]);
  } finally {
    await source.close();
    await shop.close();
  }
}

/** What the owner has to look at. */
const isSerious = ({ kind }: ReportLine) => kind === "refused" || kind === "changed";

const print = (lines: readonly string[]) => {
  process.stdout.write(`${lines.map((line) => `  ${line}`).join("\n")}\n`);
};

function openReport(folder: string): { path: string; write(line: string): void; close(): Promise<void> } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `import-${new Date().toISOString().replaceAll(":", "-").slice(0, 19)}.txt`);
  const file = createWriteStream(path, { mode: 0o600, flags: "a" });
  return {
    path,
    write: (line) => void file.write(`${line}\n`),
    close: async () => {
      file.end();
      await once(file, "finish");
    },
  };
}
