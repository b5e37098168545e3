const GROUPS: Readonly<Record<string, string>> = {
  "": "home",
  _root: "home",
  dashboard: "dashboard",
  admin: "admin",
  auth: "auth",
  api: "auth",
  "reset-password": "auth",
  checkout: "checkout",
  tools: "tools",
  aihumanizer: "tools",
  webhooks: "webhooks",
  "sandbox-gateway": "sandbox",
  assets: "files",
  healthz: "health",
  readyz: "health",
  metrics: "health",
};

/** Which part of the shop a path belongs to: one of a few names, whatever visitors ask for. */
export function routeGroup(path: string): string {
  // The router asks for a page's data at the page's own address with this ending.
  const first = path.split("/", 2)[1]?.replace(/\.data$/, "") ?? "";
  return Object.hasOwn(GROUPS, first) ? (GROUPS[first] ?? "other") : "other";
}
