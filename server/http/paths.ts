export const PROCESS_HEALTH_PATH = "/healthz";

/** Load balancers poll these, also while the shop is busy. */
export const HEALTH_PATHS: ReadonlySet<string> = new Set([PROCESS_HEALTH_PATH, "/readyz"]);

export const WEBHOOK_PATH = "/webhooks/razorpay";

export const LIVE_PATH = "/live";

/** All endpoints of the browser extension are under this path. */
export const EXTENSION_PATH = "/extension";

/**
 * Where large bodies are sent: the texts of the shop, many access codes at once, and a tool with its logo. Their actions
 * authorise before they parse a body. In any other spelling, which the router may accept, a path has the limit of all others.
 */
export const LARGE_BODY_PATHS: ReadonlySet<string> = new Set([
  "/admin/settings",
  "/admin/settings.data",
  "/admin/access-codes",
  "/admin/access-codes.data",
  "/admin/tools",
  "/admin/tools.data",
]);

/** Nothing to resolve or to decode. */
const PLAIN_PATH = /^\/[\w/-]*$/;

/**
 * The path of a request target as the router sees it: dot segments resolved, percent codes decoded, without the query.
 * Checks before the router must use the same path, or `/x/../` would bypass them.
 */
export function routedPath(target = ""): string {
  if (PLAIN_PATH.test(target)) return target;
  const url = target.startsWith("/") ? `http://shop${target}` : target;
  return URL.canParse(url) ? decode(new URL(url).pathname) : "";
}

function decode(path: string): string {
  try {
    return decodeURI(path.replaceAll("%25", "%2525"));
  } catch {
    return path;
  }
}
