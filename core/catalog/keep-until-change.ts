import type { Context } from "../context.ts";
import type { CatalogueVersion } from "./catalogue-version.ts";
import { createKeptValues, type KeptValues } from "./kept-values.ts";

/**
 * Keeps the result of an operation as `createKeptValues` does. Only for an operation that is open to all and depends on
 * nothing but the catalogue and the settings. The result is shared: a caller must not change it.
 */
export function keepUntilChange<Value>(
  operation: (ctx: Context) => Promise<Value>,
): (ctx: Context) => Promise<Value> {
  const keptIn = new WeakMap<CatalogueVersion, KeptValues<Value>>();
  return (ctx) => {
    const { catalogueVersion } = ctx.ports;
    let kept = keptIn.get(catalogueVersion);
    if (kept === undefined) {
      kept = createKeptValues(catalogueVersion);
      keptIn.set(catalogueVersion, kept);
    }
    return kept.share("", () => operation(ctx)) ?? operation(ctx);
  };
}
