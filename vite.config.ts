import { reactRouter } from "@react-router/dev/vite";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig, type Plugin } from "vite";

/** Preact cannot replace a changed component in an open page as the router's plugin expects it, so the page is loaded again. */
const reloadOnChange: Plugin = {
  name: "reload-on-change",
  apply: "serve",
  enforce: "pre",
  hotUpdate({ file, modules }) {
    if (this.environment.name !== "client" || modules.length === 0 || !/\.tsx?$/.test(file)) return;
    this.environment.hot.send({ type: "full-reload" });
    return [];
  },
};

export default defineConfig({
  plugins: [reloadOnChange, tailwindcss(), reactRouter()],
  // For the development server. When a package is found later, while a page loads, it optimises again, and the page has two
  // copies of Preact until it is loaded again.
  optimizeDeps: {
    include: [
      ...["preact", "preact/jsx-runtime", "preact/jsx-dev-runtime"],
      ...["preact/compat", "preact/compat/client", "preact/compat/server"],
      ...[
        "@base-ui/react/dialog",
        "@conform-to/react",
        "@conform-to/zod/v4",
        "@tanstack/react-table",
        "zod",
        "zod/mini",
        "zzfx",
      ],
      // It reads the modules of pages with their loaders, too, to find their styles.
      ...["drizzle-orm", "drizzle-orm/node-postgres", "drizzle-orm/pg-core", "uuidv7"],
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
                  test: /\/packages\/react|node_modules\/(?:preact|react-router|cookie|set-cookie-parser)\//,
                },
                // Components that several pages share are one file, not a request each. Dialogs, forms and tables are left
                // out: the home page needs none of them, apart from a text field, before a dialog opens.
                {
                  name: "shared",
                  test: /\/app\/(?:ui\/(?!dialogs\/|data-table|forms\/(?!text-field|field-frame))|storefront\/|connection\/retry-prompt|giveaway\/popup\/shown-until|use-shared|error-page)|\/lucide-react\/|\/simple-icons\//,
                  minShareCount: 2,
                },
              ],
            },
          },
        },
      },
    },
    ssr: {
      build: {
        // One server bundle: the HTTP entry and everything it imports.
        rolldownOptions: { input: "./server/http/entry.ts" },
      },
    },
  },
});
