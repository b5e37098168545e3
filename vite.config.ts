import { join } from "node:path";
import { reactRouter } from "@react-router/dev/vite";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig, normalizePath } from "vite";

const START = ["app/entry.client.tsx", "app/root.tsx", "app/shop-frame.tsx"];
const HOME = ["app/storefront/home.tsx"];
const SHOP_PAGE = ["app/storefront/shop/shop-page.tsx"];
const PURCHASE_DIALOG = ["app/checkout/checkout-controller.tsx"];
const DIALOG = ["app/ui/dialogs/dialog.tsx"];
/** The pages of a signed-in buyer, and the parts of the admin area that the purchase dialog shares with them. */
const BUYER_PAGES = [
  "app/account/dashboard.tsx",
  "app/account/profile/account-page.tsx",
  "app/account/orders/order-page.tsx",
  "app/account/orders/order-list.tsx",
  "app/tools/tool-page.tsx",
  "app/giveaway/giveaway.tsx",
  "app/user-data/user-data.tsx",
  "app/auth/troubleshooter/troubleshooter-dialog.tsx",
];

/** Zod was a sixth of the JavaScript that each page started with. Dialogs and the admin area load it, in files of its own. */
const NOT_AT_THE_START = /\/node_modules\/zod\//;

interface ModuleGraph {
  getModuleInfo(id: string): { importedIds: string[] } | null;
}

/**
 * Names a file for the modules that each of the pages imports, directly or not. What is only loaded on demand is not in it.
 *
 * @param pages the modules of each page, as paths in this repository
 */
function importedByAll(name: string, pages: readonly (readonly string[])[]) {
  let imports: Set<string>[] | undefined;
  return (id: string, graph: ModuleGraph): string | null => {
    imports ??= pages.map((modules) => findImports(modules, graph));
    return !NOT_AT_THE_START.test(id) && imports.every((ids) => ids.has(id)) ? name : null;
  };
}

function findImports(modules: readonly string[], graph: ModuleGraph): Set<string> {
  const isOfStart = modules === START || modules === HOME || modules === SHOP_PAGE;
  const found = new Set(modules.map((path) => normalizePath(join(import.meta.dirname, path))));
  for (const id of found) {
    const module = graph.getModuleInfo(id);
    if (module === null) throw new Error(`vite.config.ts names a module that is not in the build: ${id}`);
    for (const imported of module.importedIds) {
      if (isOfStart && NOT_AT_THE_START.test(imported))
        throw new Error(`A public page starts with ${imported}, by ${id}`);
      found.add(imported);
    }
  }
  return found;
}

const ofStart = importedByAll("start", [START]);
/** In the same file: most visits begin with a public page, and a buyer's page loads the code of the home page when it is idle. */
const ofPublicPages = importedByAll("start", [HOME, SHOP_PAGE]);

/** What only the menus of the admin's rows use of the library, whose dialogs name it in their index: 14 KB. */
const ONLY_IN_MENUS =
  /node_modules\/(?:@floating-ui\/(?:core|dom|react-dom)\/|@base-ui\/react\/floating-ui-react\/(?:safePolygon|components\/FloatingDelayGroup|hooks\/(?:gridNavigation|use(?:ClientPoint|Floating|Focus|Hover\w+|ListNavigation|Typeahead))\.))/;
const withoutMenus =
  (group: ReturnType<typeof importedByAll>): ReturnType<typeof importedByAll> =>
  (id, graph) =>
    ONLY_IN_MENUS.test(id) ? null : group(id, graph);

export default defineConfig(({ command }) => ({
  plugins: [tailwindcss(), reactRouter()],
  // For the development server. When a package is found later, while a page loads, it optimises again, and the page has two
  // copies of React until it is loaded again.
  optimizeDeps: {
    include: [
      "react",
      "react/jsx-runtime",
      "react/jsx-dev-runtime",
      "react-dom",
      "react-dom/client",
      "@base-ui/react/dialog",
      "@conform-to/react",
      "@conform-to/zod/v4",
      "@tanstack/react-table",
      "zod",
      "zod/mini",
      "zzfx",
      // It reads the modules of pages with their loaders, too, to find their styles.
      "drizzle-orm",
      "drizzle-orm/node-postgres",
      "drizzle-orm/pg-core",
      "uuidv7",
    ],
    // Each icon is a small module, so a new one changes nothing.
    exclude: ["lucide-react"],
  },
  environments: {
    client: {
      build: {
        rolldownOptions: {
          output: {
            codeSplitting: {
              groups: [
                // It changes only when a package is updated, so it stays in the caches of browsers.
                {
                  name: "framework",
                  test: /node_modules\/(?:react|react-dom|scheduler|react-router|cookie|set-cookie-parser)\//,
                },
                // What all pages start with or both public pages import, and what each of them adds and shares with others.
                { name: (id: string, graph: ModuleGraph) => ofStart(id, graph) ?? ofPublicPages(id, graph) },
                { name: importedByAll("home-parts", [HOME]), minShareCount: 2 },
                { name: importedByAll("shop-page-parts", [SHOP_PAGE]), minShareCount: 2 },
                // What a press on a tool loads, besides Zod: the parts of every dialog, what the buyer's pages have too, and the rest.
                { name: withoutMenus(importedByAll("dialog", [DIALOG, PURCHASE_DIALOG])) },
                { name: withoutMenus(importedByAll("buyer-parts", [PURCHASE_DIALOG, BUYER_PAGES])) },
                { name: withoutMenus(importedByAll("purchase-dialog", [PURCHASE_DIALOG])) },
                // What several other pages share is one file, not a request each. Dialogs, forms and tables are left out: they
                // are files of their own.
                {
                  name: "shared",
                  test: /\/app\/(?:ui\/(?!dialogs\/|data-table|forms\/(?!text-field))|storefront\/)|\/lucide-react\//,
                  minShareCount: 2,
                },
              ],
            },
          },
        },
      },
    },
    ssr: {
      // The bundle contains all packages except those that the start imports before it loads the bundle, and the one that reads
      // a file of its own. The development server bundles none.
      resolve:
        command === "build" ? { noExternal: true, external: ["pg", "pino", "zod", "@resvg/resvg-wasm"] } : {},
      build: {
        // One server bundle: what the process runs, and everything it imports.
        rolldownOptions: { input: "./server/bundle.ts" },
      },
    },
  },
}));
