/**
 * The layer of a file. Which layer may import which is written in the overrides of biome.json (noRestrictedImports).
 * `bootstrap` are the files of server/ that run before the server bundle is loaded; `tooling` is what never ships.
 */
export type Layer =
  | "app"
  | "core"
  | "adapters"
  | "db"
  | "server"
  | "bootstrap"
  | "contracts"
  | "extension"
  | "tooling";

const TOOLING_FOLDERS = new Set(["bin", "tools", "e2e", "bench"]);
const LAYER_FOLDERS = new Set<string>(["app", "core", "adapters", "db", "server", "contracts", "extension"]);
const BOOTSTRAP = /^server\/(?:main\.ts|env\.ts|env\/.+|embedded-postgres\/.+|start\/.+)$/;

/** The layer of a path from the repository's root; undefined for a top-level folder that the architecture does not have. */
export function layerOf(path: string): Layer | undefined {
  const [top] = path.split("/");
  if (top === undefined || !path.includes("/") || TOOLING_FOLDERS.has(top) || top.startsWith("."))
    return "tooling";
  if (BOOTSTRAP.test(path)) return "bootstrap";
  return LAYER_FOLDERS.has(top) ? (top as Layer) : undefined;
}

/** The folder core/<domain> of a file, e.g. "core/payments"; undefined for files outside the domains. */
export function domainOf(path: string): string | undefined {
  return /^core\/[^/]+(?=\/)/.exec(path)?.[0];
}
