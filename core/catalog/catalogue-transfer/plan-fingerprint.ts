import { createHash } from "node:crypto";
import { z } from "zod";
import { DomainError } from "../../errors.ts";
import { fingerprintOf } from "../../fingerprint.ts";
import type { CataloguePlan } from "./catalogue-plan.ts";

const STOCK = "availableStock";

const fingerprintSchema = z.object({
  /** Of the file and of everything that the plan changes, apart from stock. */
  plan: z.string(),
  /** The stock that the preview showed, of the tools whose stock the file changes. By slug. */
  shownStock: z.record(z.string(), z.number().int()),
});

/**
 * Sales between the preview and the upload do not count, so that a busy shop can be changed. The versions do: without
 * them, an upload of stock that is sent twice would change it twice.
 */
function hashPlan(plan: CataloguePlan, text: string): string {
  const changes = plan.changes.map(({ section, key, kind, fields }) => ({
    ...{ section, key, isAdded: kind === "added" },
    fields: fields.filter(({ field }) => section !== "tools" || field !== STOCK),
  }));
  const file = createHash("sha256").update(text).digest("hex");
  return fingerprintOf({ changes, file, toolVersions: plan.toolVersions });
}

/** A text that stands for a file and its plan. The upload changes exactly what it stands for. */
export function makePlanFingerprint(plan: CataloguePlan, text: string): string {
  const stocks = plan.changes.flatMap(({ section, key, fields }) => {
    const stock = section === "tools" ? fields.find(({ field }) => field === STOCK) : undefined;
    return stock === undefined ? [] : [[key, stock.before] as const];
  });
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
