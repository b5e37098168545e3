import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import type { ToolServer } from "#db/tables/catalog.ts";
import { couponEntry } from "../coupon-fields.ts";
import { toStoredPrices } from "../rules.ts";
import { checkAcrossEntries } from "./checks.ts";
import { accessCodeSchema, credentialSchema, pageSchema, storeSchema, toolSchema } from "./entry-schemas.ts";
import {
  type FileProblem,
  formatProblem,
  JsonSyntaxError,
  readEntry,
  readJsonWithLines,
  readList,
} from "./read-entries.ts";

/** A valid catalogue: all references resolve. It holds access codes and passwords in plain text. */
export interface CatalogueFile {
  /** null: no download wrote the file, or it was an older version of the shop. */
  downloadedAt: Date | null;
  store: z.output<typeof storeSchema>;
  tools: ReturnType<typeof toTool>[];
  /** Grants: passes of these tools, and passes bought under these names, open the page too. */
  pages: z.output<typeof pageSchema>[];
  accessCodes: z.output<typeof accessCodeSchema>[];
  credentials: z.output<typeof credentialSchema>[];
  coupons: z.output<typeof couponEntry>[];
}

/** The file is invalid. `problems` are messages in the order of the file. None quotes an access code or a password. */
export class CatalogueFileError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(
      `The catalogue file has ${problems.length === 1 ? "a mistake" : `${problems.length} mistakes`}:\n${problems.join("\n")}`,
      options,
    );
    this.name = "CatalogueFileError";
    this.problems = problems;
  }
}

const SECTIONS = ["store", "tools", "pages", "accessCodes", "credentials", "coupons"];

/** The key with the time of a download. */
const DOWNLOADED_AT = "downloadedAt";
const downloadTime = z.iso
  .datetime()
  .transform((text) => new Date(text))
  .optional();

/** Nobody corrects more at once. */
const MAX_PROBLEMS = 200;

/** The first problems, and how many more there are. */
export function listProblems(problems: readonly string[], total: number = problems.length): string[] {
  const shown = problems.slice(0, MAX_PROBLEMS);
  return total > shown.length ? [...shown, `and ${total - shown.length} more`] : shown;
}

/**
 * Parses a catalogue file. docs/catalogue-file.md describes the format.
 *
 * @throws CatalogueFileError with every mistake, its line and the slug or code of its entry
 */
export function parseCatalogueFile(text: string): CatalogueFile {
  const steps = parseInSteps(text);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same. Between its steps the process answers other requests: a large file takes about a second. */
export async function parseLargeCatalogueFile(text: string): Promise<CatalogueFile> {
  const steps = parseInSteps(text);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await nextTurn();
  }
}

function* parseInSteps(text: string): Generator<undefined, CatalogueFile> {
  const json = readDocument(text);
  yield;
  const root = json.value;
  if (typeof root !== "object" || root === null || Array.isArray(root))
    throw new CatalogueFileError(["line 1: the file must be one object in { }"]);

  if (!isStorable(root))
    throw new CatalogueFileError([
      "the file has a text with \\u0000 or half of a character, which cannot be stored",
    ]);

  yield;
  const document: Record<string, unknown> = { ...root };
  const problems: FileProblem[] = Object.keys(document)
    .filter((key) => !SECTIONS.includes(key) && key !== DOWNLOADED_AT)
    .map((key) => ({ path: [key], text: `unknown key "${key}"; known are ${SECTIONS.join(", ")}` }));

  const downloadedAt = downloadTime.safeParse(document[DOWNLOADED_AT]);
  if (!downloadedAt.success)
    problems.push({
      path: [DOWNLOADED_AT],
      text: "must be the time that the download wrote, or be left out",
    });
  const store = readEntry(document, ["store"], storeSchema, problems);
  const tools = readList(document, "tools", toolSchema, problems);
  yield;
  const rest = {
    pages: readList(document, "pages", pageSchema, problems),
    accessCodes: readList(document, "accessCodes", accessCodeSchema, problems),
    credentials: readList(document, "credentials", credentialSchema, problems),
    coupons: readList(document, "coupons", couponEntry, problems),
  };
  yield;
  if (document.tools === undefined) problems.push({ path: ["tools"], text: "is missing" });
  for (const problem of checkAcrossEntries(document, { store, tools, ...rest })) problems.push(problem);

  yield;
  if (problems.length > 0 || store === undefined)
    throw new CatalogueFileError(formatInFileOrder(problems, document, json));
  return {
    downloadedAt: downloadedAt.data ?? null,
    store,
    tools: tools.map(({ entry }) => toTool(entry)),
    pages: rest.pages.map(({ entry }) => entry),
    accessCodes: rest.accessCodes.map(({ entry }) => entry),
    credentials: rest.credentials.map(({ entry }) => entry),
    coupons: rest.coupons.map(({ entry }) => entry),
  };
}

/** Postgres stores neither NUL nor one half of a surrogate pair. JSON can have both, as escapes. */
function isStorable(value: unknown): boolean {
  if (typeof value === "string") return !value.includes("\0") && !/\p{Cs}/u.test(value);
  return typeof value !== "object" || value === null || Object.values(value).every(isStorable);
}

function readDocument(text: string) {
  try {
    return readJsonWithLines(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError)
      throw new CatalogueFileError([`${error.message} (not valid JSON)`], { cause: error });
    throw error;
  }
}

function formatInFileOrder(
  problems: readonly FileProblem[],
  document: Record<string, unknown>,
  json: ReturnType<typeof readJsonWithLines>,
): string[] {
  // The line of an entry is looked up among all its neighbours, so each look-up reads a large part of the file.
  const shown = problems
    .slice(0, MAX_PROBLEMS)
    .map((problem) => ({ problem, line: json.lineOf(problem.path) }))
    .sort((a, b) => a.line - b.line)
    .map(({ problem, line }) => `line ${line}, ${formatProblem(problem, document)}`);
  return listProblems(shown, problems.length);
}

/** A tool as the database stores it. With options, a price and a validity beside them are not used. */
function toTool(entry: z.output<typeof toolSchema>) {
  const { price, originalPrice, validityDays, pricingOptions, ...same } = entry;
  const own = { label: "", validityDays: validityDays ?? 0, price: price ?? 0, originalPrice };
  const [first = own, ...more] = pricingOptions;
  const toOption = (option: typeof first) => ({
    label: option.label,
    validityDays: option.validityDays,
    pricePaise: option.price,
    originalPricePaise: option.originalPrice ?? null,
  });
  return {
    ...same,
    ...toStoredPrices([toOption(first), ...more.map(toOption)]),
    servers: entry.servers.map(
      ({ id, name, url, perBuyer }): ToolServer => ({
        id,
        name,
        url: url ?? null,
        ...(perBuyer && { perBuyer }),
      }),
    ),
  };
}
