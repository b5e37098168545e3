/**
 * Where a file lives in the house and what that place may import. The order of the house is one-way: what people see
 * rests on what the shop does, which rests on the database.
 */
export type Place =
  | "app"
  | "app/ui"
  | "core"
  | "adapters"
  | "db"
  | "server"
  | "starter"
  | "contracts"
  | "extension"
  | "outside";

const MAY_IMPORT: Record<Exclude<Place, "outside">, readonly Place[]> = {
  app: ["app", "app/ui", "core", "contracts"],
  "app/ui": ["app/ui"],
  core: ["core", "db"],
  adapters: ["adapters", "core", "db"],
  db: ["db"],
  server: ["server", "starter", "app", "app/ui", "adapters", "core", "db"],
  // Runs before the bundle exists, on plain Node: another copy of a domain module here would be a second instance of it.
  // Which files of server/ these are is followed through their imports, in starter.ts.
  starter: ["starter", "server"],
  contracts: ["contracts"],
  extension: ["extension", "contracts"],
};

/** Packages a place must do without, so that its job stays its own. */
const FORBIDDEN_PACKAGES: Partial<Record<Place, readonly string[]>> = {
  core: [
    "react",
    "react-dom",
    "react-router",
    "@react-router",
    "hono",
    "@hono",
    "better-auth",
    "nodemailer",
    "razorpay",
  ],
  app: ["drizzle-orm", "pg", "pg-boss"],
  "app/ui": ["drizzle-orm", "pg", "pg-boss"],
};

const OUTSIDE = new Set(["bin", "tools", "e2e", "bench"]);
const ROOMS = new Set<string>(["app", "core", "adapters", "db", "server", "contracts", "extension"]);

/** The place of a path from the repository's root; undefined for a folder the house has no room for. */
export function placeOf(path: string): Place | undefined {
  const [top, second] = path.split("/");
  if (top === undefined || !path.includes("/") || OUTSIDE.has(top) || top.startsWith(".")) return "outside";
  if (top === "app" && second === "ui") return "app/ui";
  if (/^server\/(?:main\.ts|env\.ts|env\/.+|embedded-postgres\/.+|start\/.+)$/.test(path)) return "starter";
  return ROOMS.has(top) ? (top as Place) : undefined;
}

/** Why a file of one place may not import a file of another; undefined when it may. */
export function directionBreach(from: Place, to: Place): string | undefined {
  if (from === "outside" || MAY_IMPORT[from].includes(to)) return undefined;
  if (to === "outside")
    return "bin, tools, e2e, bench and the root's files are imported by each other and by tests only";
  const allowed = MAY_IMPORT[from].filter((place) => place !== from);
  return `${from} may not import ${to}${allowed.length > 0 ? ` (it may import ${allowed.join(", ")})` : ""}`;
}

/** Why a place may not import a package; undefined when it may. */
export function packageBreach(from: Place, specifier: string): string | undefined {
  const forbidden = FORBIDDEN_PACKAGES[from]?.find(
    (name) => specifier === name || specifier.startsWith(`${name}/`),
  );
  return forbidden ? `${from} may not import the package ${forbidden}` : undefined;
}
