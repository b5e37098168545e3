import type { z } from "zod";
import type { PricingOption, ToolServer } from "#db/tables/catalog.ts";
import { crossCheck } from "./catalogue-file-checks.ts";
import {
  type FoundProblem,
  type Placed,
  problemSentence,
  readEntry,
  readList,
} from "./catalogue-file-entries.ts";
import {
  accessCodeSchema,
  couponSchema,
  credentialSchema,
  pageSchema,
  storeSchema,
  toolSchema,
} from "./catalogue-file-schemas.ts";
import { JsonSyntaxError, readJsonWithLines } from "./json-with-lines.ts";

type ToolEntry = z.output<typeof toolSchema>;

/** A tool as the shop keeps it; prices in paise. With options, price and validity are those of the cheapest one. */
interface CatalogueTool {
  slug: string;
  name: string;
  description: string;
  category: string;
  badge: string | null;
  isActive: boolean;
  contactOnly: boolean;
  availableStock: number;
  features: string[];
  pricePaise: number;
  originalPricePaise: number | null;
  validityDays: number;
  /** Shortest validity first. */
  pricingOptions: PricingOption[];
  servers: ToolServer[];
}

/** A whole catalogue, checked: every slug and server it refers to exists in it. Holds codes and passwords in the clear. */
export interface CatalogueFile {
  store: z.output<typeof storeSchema>;
  tools: CatalogueTool[];
  /** Beside its own tool, a page is opened by passes of these tools and by passes that carry one of these names. */
  pages: z.output<typeof pageSchema>[];
  accessCodes: z.output<typeof accessCodeSchema>[];
  credentials: z.output<typeof credentialSchema>[];
  coupons: z.output<typeof couponSchema>[];
}

/** The file cannot be used. `problems` are sentences in the order of the file; none quotes a code or a password. */
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

/**
 * Reads a catalogue file (its format is described in docs/catalogue-file.md).
 *
 * @throws CatalogueFileError naming every mistake with its line, and its entry by slug or code
 */
export function parseCatalogueFile(text: string): CatalogueFile {
  const json = readDocument(text);
  const root = json.value;
  if (typeof root !== "object" || root === null || Array.isArray(root))
    throw new CatalogueFileError(["line 1: the file must be one object in { }"]);

  const document: Record<string, unknown> = { ...root };
  const problems: FoundProblem[] = Object.keys(document)
    .filter((key) => !SECTIONS.includes(key))
    .map((key) => ({ path: [key], text: `unknown key "${key}"; known are ${SECTIONS.join(", ")}` }));

  const store = readEntry(document, ["store"], storeSchema, problems);
  const tools = readList(document, "tools", toolSchema, problems);
  const rest = {
    pages: readList(document, "pages", pageSchema, problems),
    accessCodes: readList(document, "accessCodes", accessCodeSchema, problems),
    credentials: readList(document, "credentials", credentialSchema, problems),
    coupons: readList(document, "coupons", couponSchema, problems),
  };
  if (document.tools === undefined) problems.push({ path: ["tools"], text: "is missing" });
  problems.push(...crossCheck(document, { tools, ...rest }));

  if (problems.length > 0 || store === undefined)
    throw new CatalogueFileError(inFileOrder(problems, document, json));
  return {
    store,
    tools: tools.map(({ entry }) => toTool(entry)),
    pages: entries(rest.pages),
    accessCodes: entries(rest.accessCodes),
    credentials: entries(rest.credentials),
    coupons: entries(rest.coupons),
  };
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

function inFileOrder(
  problems: readonly FoundProblem[],
  document: Record<string, unknown>,
  json: ReturnType<typeof readJsonWithLines>,
): string[] {
  return problems
    .map((problem) => ({ problem, line: json.lineOf(problem.path) }))
    .sort((a, b) => a.line - b.line)
    .map(({ problem, line }) => `line ${line}, ${problemSentence(problem, document)}`);
}

function entries<Entry>(list: readonly Placed<Entry>[]): Entry[] {
  return list.map(({ entry }) => entry);
}

function toTool(entry: ToolEntry): CatalogueTool {
  const { price, originalPrice, validityDays, pricingOptions, servers, badge, ...same } = entry;
  const options = pricingOptions
    .map((option) => ({
      label: option.label,
      validityDays: option.validityDays,
      pricePaise: option.price,
      originalPricePaise: option.originalPrice ?? null,
    }))
    .sort((a, b) => a.validityDays - b.validityDays);
  const [cheapest] = options.toSorted((a, b) => a.pricePaise - b.pricePaise);
  return {
    ...same,
    badge: badge ?? null,
    pricePaise: cheapest?.pricePaise ?? price ?? 0,
    originalPricePaise: cheapest ? cheapest.originalPricePaise : (originalPrice ?? null),
    validityDays: cheapest?.validityDays ?? validityDays ?? 0,
    pricingOptions: options,
    servers: servers.map(({ id, name, url }) => ({ id, name, url: url ?? null })),
  };
}
