import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { importFolder, UNPACKED_PREFIX } from "#adapters/import-folder/import-folder.ts";
import type { Context } from "#core/context.ts";
import { AttentionList, CSV_HEAD, csvLine } from "#import-old-shop/attention.ts";
import { recogniseCollection } from "#import-old-shop/collections.ts";
import { openDocumentExport } from "#import-old-shop/document-export/document-export.ts";
import { describeToolsNotOnSale, importShop } from "#import-old-shop/import-shop.server.ts";
import { formatLine, formatSummary } from "#import-old-shop/report.ts";
import type { OldExport } from "#import-old-shop/source.ts";
import { compose } from "./compose.ts";
import type { Env } from "./env.ts";
import { createLog, createOutageLog, printLines } from "./log.ts";
import { readDemoCatalogue, setUpStore } from "./set-up-store.ts";
import type { ImportArguments } from "./start/import-arguments.ts";

/** At most this many lines that need the owner's attention are printed; the file has every line. */
const PRINTED_LINES = 20;

interface Options {
  env: Env;
  databaseUrl: string;
  databaseDirectUrl: string;
  embedded: boolean;
  import: ImportArguments | null;
  stop: AbortSignal;
}

/**
 * Imports an old shop and prints what became of it. Every line of the report is in a file that only the owner of the process can
 * read. The shop may run, or may never have been started.
 */
export async function importShopAndPrint(options: Options): Promise<void> {
  const { env, stop } = options;
  if (options.import === null) throw new Error("the import has no arguments");
  const folder = importFolder(env.dataDir);
  const shop = await compose(env, options.databaseUrl, options.embedded, createOutageLog(createLog("warn")));
  let source: OldExport | undefined;
  try {
    source = await openDocumentExport(options.import.path, {
      isCollection: (name) => recogniseCollection(name) !== null,
      // Not in the system's folder, which is in the memory of some servers.
      unpackInto: join(folder, UNPACKED_PREFIX),
      signal: stop,
    });
    // Without the demo: a new shop that imports its tools needs none.
    const admin = await setUpStore({ ...env, demo: false }, shop, options.databaseDirectUrl);
    if (admin.generatedPassword !== undefined)
      printLines([`Admin: ${admin.email}. Password (shown this once): ${admin.generatedPassword}`]);
    await importAndReport(shop.systemContext(), source, { ...options.import, folder, stop });
  } finally {
    await source?.close();
    await shop.close();
  }
}

async function importAndReport(
  ctx: Context,
  source: OldExport,
  options: ImportArguments & { folder: string; stop: AbortSignal },
): Promise<void> {
  const { folder, dryRun, removesDemo, withoutPasswords } = options;
  const path = join(folder, `import-${new Date().toISOString().replaceAll(":", "-").slice(0, 19)}`);
  const report = openReport(`${path}.txt`);
  // For a spreadsheet.
  const table = openReport(`${path}.csv`);
  table.write(CSV_HEAD);
  printLines([
    dryRun ? "Dry run: nothing is imported." : "Importing.",
    `The report: ${report.path}, and as a table: ${table.path}`,
  ]);
  const attention = new AttentionList();
  const importing = importShop(ctx, source, {
    dryRun,
    removesDemo,
    withoutPasswords,
    demo: await readDemoCatalogue(),
    signal: options.stop,
    listener: {
      onLine: (line) => {
        report.write(formatLine(line));
        table.write(csvLine(line));
        attention.add(line);
      },
      onNotice: report.write,
      onProgress: (collection, read) => {
        if (read % 10_000 === 0) printLines([`${collection}: ${read} read`]);
      },
    },
  });
  const summary = await importing.catch(async (error: unknown) => {
    // What was read until then.
    await Promise.allSettled([report.close(), table.close()]);
    throw error;
  });
  const lines = [...formatSummary(summary), ...(dryRun ? [] : await describeToolsNotOnSale(ctx))];
  const needed = attention.needed();
  const repaired = attention.repaired();
  await table.close();
  await report.close([
    ...(needed.length > 0 ? ["What needs a person:", ...needed, ""] : []),
    ...lines,
    "",
    ...(repaired.length > 0 ? ["What was repaired:", ...repaired, ""] : []),
    "Every line:",
  ]);
  const printed = needed.slice(0, PRINTED_LINES);
  printLines([
    ...(needed.length > 0 ? ["What needs a person:", ...printed] : []),
    ...(needed.length > printed.length
      ? [`… and ${needed.length - printed.length} more in the report.`]
      : []),
    "",
    ...lines,
    ...(repaired.length > 0
      ? [`Repairs of ${repaired.length} ${repaired.length === 1 ? "kind" : "kinds"} are in the report.`]
      : []),
  ]);
}

interface ReportFile {
  path: string;
  write(line: string): void;
  /** @param head what comes before the lines that were written */
  close(head?: readonly string[]): Promise<void>;
}

/** There may be a million lines, so they are on the disk while what comes before them is collected. */
function openReport(path: string): ReportFile {
  const lines = `${path}.lines`;
  const file = createWriteStream(lines, { mode: 0o600 });
  return {
    path,
    write: (line) => void file.write(`${line}\n`),
    close: async (head = []) => {
      file.end();
      await once(file, "finish");
      if (head.length === 0) return rename(lines, path);
      await writeFile(path, `${head.join("\n")}\n`, { mode: 0o600 });
      await pipeline(createReadStream(lines), createWriteStream(path, { flags: "a" }));
      await rm(lines);
    },
  };
}
