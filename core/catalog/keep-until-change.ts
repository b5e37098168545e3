import type { Context } from "../context.ts";
import type { CatalogueVersion } from "./catalogue-version.ts";

/** A change that the shop did not make itself, such as one by hand in the database, is not announced. */
const MAX_AGE_MS = 1_000;

interface Kept<Value> {
  version: number;
  readAt: number;
  value: Promise<Value>;
}

/**
 * Keeps the result of an operation until the catalogue or the settings change, for at most a second. Only for an operation
 * that is open to all and depends on nothing else. The result is shared: a caller must not change it.
 */
export function keepUntilChange<Value>(
  operation: (ctx: Context) => Promise<Value>,
): (ctx: Context) => Promise<Value> {
  const keptBy = new WeakMap<CatalogueVersion, Kept<Value>>();
  return (ctx) => {
    const { catalogueVersion } = ctx.ports;
    const version = catalogueVersion();
    if (version === null) return operation(ctx);
    const last = keptBy.get(catalogueVersion);
    const now = performance.now();
    if (last?.version === version && now - last.readAt < MAX_AGE_MS) return last.value;
    const kept = { version, readAt: now, value: operation(ctx) };
    keptBy.set(catalogueVersion, kept);
    kept.value.catch(() => {
      if (keptBy.get(catalogueVersion) === kept) keptBy.delete(catalogueVersion);
    });
    return kept.value;
  };
}
