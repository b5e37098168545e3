const GROUPS: Readonly<Record<string, string>> = {
  "": "home",
  _root: "home",
  shop: "shop",
  ...{ terms: "texts", refunds: "texts", privacy: "texts", contact: "texts" },
  ...{ "sitemap.xml": "files", "robots.txt": "files" },
  dashboard: "dashboard",
  "test-user-data": "dashboard",
  account: "account",
  giveaway: "giveaway",
  admin: "admin",
  auth: "auth",
  api: "auth",
  ...{ "sign-in": "auth", "sign-up": "auth", "forgot-password": "auth", "reset-password": "auth" },
  checkout: "checkout",
  tools: "tools",
  aihumanizer: "tools",
  live: "live",
  webhooks: "webhooks",
  "sandbox-gateway": "sandbox",
  assets: "files",
  healthz: "health",
  readyz: "health",
  metrics: "health",
};

/** The part of the shop that a path belongs to: one of a few names, so that a metric has few series. */
export function routeGroup(path: string): string {
  // The router requests the data of a page at the page's address with this ending.
  const first = path.split("/", 2)[1]?.replace(/\.data$/, "") ?? "";
  return Object.hasOwn(GROUPS, first) ? (GROUPS[first] ?? "other") : "other";
}
