import { cleanCameFrom } from "#core/checkout/came-from.ts";
import { DAY } from "#core/time.ts";
import { withStorage } from "../ui/optional-interfaces.ts";

const KEY = "came-from";
const KEPT_MS = 30 * DAY;

/** Where this browser came from at first, in the last 30 days; null where it is unknown. */
export function readCameFrom(): string | null {
  return withStorage("local", (storage) => {
    const [at, text] = storage.getItem(KEY)?.split("\n") ?? [];
    if (text !== undefined && Math.abs(Date.now() - Number(at)) < KEPT_MS) return text;
    storage.removeItem(KEY);
    return null;
  });
}

/** Remembers what brought this browser to the shop, unless it is known already. Once for each document. */
export function rememberCameFrom(): void {
  // A tab comes back from Google and from banks, which have brought nobody.
  const isFirstPage = withStorage("session", (storage) => {
    const isFirst = storage.getItem(KEY) === null;
    storage.setItem(KEY, "seen");
    return isFirst;
  });
  if (readCameFrom() !== null) return;
  const params = new URLSearchParams(location.search);
  const hints = [params.get("utm_source"), params.get("ref"), isFirstPage ? hostOf(document.referrer) : null];
  const found = hints.map((hint) => cleanCameFrom(hint ?? "")).find((hint) => hint !== null);
  if (found) withStorage("local", (storage) => storage.setItem(KEY, `${Date.now()}\n${found}`));
}

/** Null: none, or the shop itself. */
function hostOf(referrer: string): string | null {
  const host = /^[^/]+:\/\/([^/?#]+)/.exec(referrer)?.[1] ?? null;
  return host === location.host ? null : host;
}
