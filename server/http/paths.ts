/** Load balancers ask for these, whatever the shop is busy with. */
export const HEALTH_PATHS: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

export const WEBHOOK_PATH = "/webhooks/razorpay";

/**
 * The path of a request target as the router sees it: dot segments resolved, without the query. What is decided by the
 * path before the router must see the same one, or `/x/../` goes round it.
 */
export function routedPath(target: string | undefined): string {
  return URL.canParse(target ?? "", "http://shop") ? new URL(target ?? "", "http://shop").pathname : "";
}
