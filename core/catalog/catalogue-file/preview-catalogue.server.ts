import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { and, gte, ne } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { lockEdits } from "#db/edit-lock.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { inTransaction } from "#db/transaction.ts";
import { requireAdmin } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { DomainError } from "../../errors.ts";
import { parseInput, type UntrustedInput } from "../../parse.ts";
import { fingerprintOf } from "../../vault/fingerprint.ts";
import {
  type CatalogueFile,
  CatalogueFileError,
  listProblems,
  parseLargeCatalogueFile,
} from "./catalogue-file.ts";
import {
  type CatalogueChange,
  type CataloguePlan,
  keepStock,
  listStockChanges,
  planCatalogue,
  toolNamesOf,
  withWhatIsKept,
} from "./catalogue-plan.ts";
import { readShop } from "./read-shop.server.ts";
import { previewCatalogueSchema } from "./schemas.ts";

export type CataloguePreview =
  /** Nothing can be uploaded. The problems come from `parseCatalogueFile`, or are conflicts with the current shop. */
  | { kind: "invalid"; problems: readonly string[] }
  | {
      kind: "valid";
      /** The added and changed entries of the file in its order, as many as a person looks at; `counts` has all. */
      changes: CatalogueChange[];
      counts: Record<CatalogueChange["section"], Record<CatalogueChange["kind"], number>>;
      /** How many of the shop's tools and coupons the file leaves out. An upload keeps them as they are. */
      leftOut: { tools: number; coupons: number };
      /** The changes of stock among `changes`, as many as a person looks at, and how many tools change in nothing else. */
      stock: {
        listed: { slug: string; name: string; before: unknown; after: unknown }[];
        total: number;
        alone: number;
        /** What `applyCatalogue` does with them unless it is told. */
        suggestion: "keep" | "change";
      };
      /** As in the plan, as many as a person looks at. */
      keptCredentials: CataloguePlan["keptCredentials"];
      /** `applyCatalogue` needs it. */
      fingerprint: string;
    };

/**
 * What an upload of a catalogue file would change in the current shop. Changes nothing. An entry of the file describes the
 * whole tool, page or coupon: what it leaves out gets its default.
 *
 * A file with codes or passwords needs a recent password: the answer says whether the shop has them.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input'
 */
export async function previewCatalogue(
  ctx: Context,
  input: z.input<typeof previewCatalogueSchema> | UntrustedInput,
): Promise<CataloguePreview> {
  requireAdmin(ctx, "reads");
  const { file: text } = parseInput(previewCatalogueSchema, input);
  const read = await tryParseCatalogueFile(text);
  if (read.file === null) return { kind: "invalid", problems: read.problems };
  if (read.file.accessCodes.length + read.file.credentials.length > 0) requireAdmin(ctx, "reveals-secret");
  const shop = await inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    return readShop(ctx, tx);
  });
  const file = withWhatIsKept(read.file, shop);
  const plan = planCatalogue(file, shop, ctx.ports.cipher);
  if (plan.problems.length > 0) return { kind: "invalid", problems: listProblems(plan.problems) };
  // Other requests are answered between the long steps.
  await nextTurn();
  const slugs = new Set(file.tools.map(({ slug }) => slug));
  const stock = listStockChanges(plan.changes);
  const codes = new Set(file.coupons.map(({ code }) => code));
  return {
    kind: "valid",
    changes: nameTools(listChanges(plan.changes), toolNamesOf(file, shop)),
    counts: countChanges(plan.changes),
    leftOut: {
      tools: shop.tools.filter(({ slug }) => !slugs.has(slug)).length,
      coupons: shop.coupons.filter(({ code }) => !codes.has(code)).length,
    },
    stock: {
      listed: stock.slice(0, MAX_LISTED),
      total: stock.length,
      alone: stock.filter(({ isAlone }) => isAlone).length,
      suggestion: await suggestStock(ctx.db, file),
    },
    keptCredentials: plan.keptCredentials.slice(0, MAX_LISTED),
    fingerprint: makePlanFingerprint(plan, text),
  };
}

/**
 * Stock is kept when anything was sold since the file was downloaded, or ever when it does not say: the file has the stock of
 * that time, and would bring back the units that were sold since.
 */
export async function suggestStock(
  executor: Executor,
  { downloadedAt }: Pick<CatalogueFile, "downloadedAt">,
): Promise<"keep" | "change"> {
  const [sale] = await executor
    .select({ id: userPurchases.id })
    .from(userPurchases)
    .where(
      and(
        ne(userPurchases.source, "import"),
        downloadedAt === null ? undefined : gte(userPurchases.createdAt, downloadedAt),
      ),
    )
    .limit(1);
  return sale === undefined ? "change" : "keep";
}

/** The entries of a section that are listed. A file may have thousands. */
const MAX_LISTED = 200;
/** In characters, of all sections together: an entry may have long texts before and after. */
const MAX_LISTED_LENGTH = 500_000;

function listChanges(changes: readonly CatalogueChange[]): CatalogueChange[] {
  const listed = new Map<CatalogueChange["section"], number>();
  let length = 0;
  return changes.filter((change) => {
    const inSection = listed.get(change.section) ?? 0;
    if (change.kind === "unchanged" || inSection === MAX_LISTED || length > MAX_LISTED_LENGTH) return false;
    listed.set(change.section, inSection + 1);
    length += JSON.stringify(change).length;
    return true;
  });
}

function countChanges(changes: readonly CatalogueChange[]) {
  const none = () => ({ added: 0, changed: 0, unchanged: 0 });
  const counts = {
    store: none(),
    tools: none(),
    pages: none(),
    coupons: none(),
    accessCodes: none(),
    credentials: none(),
  };
  for (const { section, kind } of changes) counts[section][kind] += 1;
  return counts;
}

const FIELDS_WITH_SLUGS: readonly string[] = ["toolSlug", "toolSlugs", "giveawayToolSlug"];

/** The changes with the names of tools in place of their slugs. */
function nameTools(
  changes: readonly CatalogueChange[],
  toolNames: ReadonlyMap<string, string>,
): CatalogueChange[] {
  const nameOf = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(nameOf);
    return typeof value === "string" ? (toolNames.get(value) ?? value) : value;
  };
  return changes.map((change) => ({
    ...change,
    fields: change.fields.map(({ field, before, after }) =>
      FIELDS_WITH_SLUGS.includes(field)
        ? { field, before: nameOf(before), after: nameOf(after) }
        : { field, before, after },
    ),
  }));
}

/** The parsed file, or the problems of an invalid one. */
export async function tryParseCatalogueFile(
  text: string,
): Promise<{ file: CatalogueFile } | { file: null; problems: readonly string[] }> {
  try {
    return { file: await parseLargeCatalogueFile(text) };
  } catch (error) {
    if (error instanceof CatalogueFileError) return { file: null, problems: error.problems };
    throw error;
  }
}

const fingerprintSchema = z.object({
  /** The fingerprint of the file and of everything that the plan changes, apart from stock. */
  plan: z.string(),
  /** The stock that the preview showed, of the tools whose stock the file changes. By slug. */
  shownStock: z.record(z.string(), z.number().int()),
});

/**
 * Sales between the preview and the upload do not count, so that a busy shop can be changed. The versions do: without
 * them, an upload of stock that is sent twice would change it twice.
 */
function hashPlan(plan: CataloguePlan, text: string): string {
  const changes = keepStock(plan.changes).map(({ section, key, kind, fields }) => ({
    section,
    key,
    isAdded: kind === "added",
    fields,
  }));
  const file = createHash("sha256").update(text).digest("hex");
  return fingerprintOf({ changes, file, toolVersions: plan.toolVersions });
}

/** A text that stands for a file and its plan. The upload changes exactly what it stands for. */
function makePlanFingerprint(plan: CataloguePlan, text: string): string {
  const stocks = listStockChanges(plan.changes).map(({ slug, before }) => [slug, before] as const);
  const fingerprint = { plan: hashPlan(plan, text), shownStock: Object.fromEntries(stocks) };
  return Buffer.from(JSON.stringify(fingerprint)).toString("base64url");
}

/**
 * The stock that the preview showed, by slug, of the tools whose stock changes.
 *
 * @throws DomainError 'changed-meanwhile' when the fingerprint stands for another file or plan
 */
export function checkPlanFingerprint(
  fingerprint: string,
  plan: CataloguePlan,
  text: string,
): ReadonlyMap<string, number> {
  const parsed = fingerprintSchema.safeParse(readJson(Buffer.from(fingerprint, "base64url").toString()));
  if (!parsed.success || parsed.data.plan !== hashPlan(plan, text))
    throw new DomainError("changed-meanwhile");
  return new Map(Object.entries(parsed.data.shownStock));
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
