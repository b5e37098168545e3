import { type AuthorisedContext, allowAnyone } from "../authorise.ts";
import type { Context } from "../context.ts";
import type { CatalogueVersion } from "../ports.ts";

/** A change that the shop did not make itself, such as one by hand in the database, is not announced. */
const MAX_AGE_MS = 1_000;
export const MAX_KEYS = 100;

/**
 * Values that show the catalogue or the settings, by key. A value is used until a change is heard, for at most a second
 * from when it was begun, or while the next one is being computed. While changes are not heard, no value is used.
 */
export interface KeptValues<Value> {
  /**
   * The value that may be used, at once. While a newer one is being computed that is the last one, so that not everybody
   * waits. undefined: there is none.
   */
  find(key: string): Value | undefined;
  /**
   * The value that may be used, or the value that is being computed for another caller, or a new value. A failure goes to all
   * who wait for it, and is not kept. null: changes are not heard, and nothing was computed.
   */
  share(key: string, compute: () => Promise<Value>): Promise<Value> | null;
}

interface Computation<Value> {
  /** The version of the catalogue when the reading began. */
  version: number;
  begunAt: number;
  result: Promise<Value>;
}

interface Kept<Value> extends Computation<Value> {
  value: Value;
}

interface KeptValuesOptions<Value> {
  /** Whether later callers get the value too; those who wait for it get it in any case. All are kept when absent. */
  mayBeKept?: (value: Value) => boolean;
  /** How many values are kept: `MAX_KEYS` when absent. The oldest makes room for another. */
  maxKeys?: number;
  /** In milliseconds. */
  now?: () => number;
}

export function createKeptValues<Value>(
  catalogueVersion: CatalogueVersion,
  {
    mayBeKept = () => true,
    maxKeys = MAX_KEYS,
    now = () => performance.now(),
  }: KeptValuesOptions<Value> = {},
): KeptValues<Value> {
  const kept = new Map<string, Kept<Value>>();
  const running = new Map<string, Computation<Value>>();

  const isYoung = ({ begunAt }: Computation<Value>) => now() - begunAt < MAX_AGE_MS;
  const keep = (key: string, entry: Kept<Value>) => {
    // After a change meanwhile the value may show the state before it.
    if (catalogueVersion() !== entry.version || !mayBeKept(entry.value)) return;
    const last = kept.get(key);
    if (last !== undefined && last.begunAt > entry.begunAt && last.version === entry.version) return;
    kept.delete(key);
    const [oldest] = kept.keys();
    if (kept.size >= maxKeys && oldest !== undefined) kept.delete(oldest);
    kept.set(key, entry);
  };

  return {
    find(key) {
      const last = kept.get(key);
      if (last === undefined || last.version !== catalogueVersion()) return undefined;
      return isYoung(last) || running.has(key) ? last.value : undefined;
    },

    share(key, compute) {
      const version = catalogueVersion();
      if (version === null) return null;
      for (const other of [running.get(key), kept.get(key)])
        if (other?.version === version && isYoung(other)) return other.result;
      const own: Computation<Value> = { version, begunAt: now(), result: compute() };
      running.set(key, own);
      const end = () => {
        if (running.get(key) === own) running.delete(key);
      };
      own.result.then((value) => {
        end();
        keep(key, { ...own, value });
      }, end);
      return own.result;
    },
  };
}

/**
 * Keeps the result of an operation as `createKeptValues` does. Only for an operation that is open to all and depends on
 * nothing but the catalogue and the settings. The result is shared: a caller must not change it.
 */
export function keepUntilChange<Value>(
  operation: (ctx: AuthorisedContext) => Promise<Value>,
): (ctx: Context) => Promise<Value> {
  const keptIn = new WeakMap<CatalogueVersion, KeptValues<Value>>();
  return (ctx) => {
    allowAnyone(ctx);
    const { catalogueVersion } = ctx.ports;
    let kept = keptIn.get(catalogueVersion);
    if (kept === undefined) {
      kept = createKeptValues(catalogueVersion);
      keptIn.set(catalogueVersion, kept);
    }
    return kept.share("", () => operation(ctx)) ?? operation(ctx);
  };
}
