import { reactRouter } from "@react-router/dev/vite";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [tailwindcss(), reactRouter()],
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
                  test: /\/app\/(?:ui\/(?!dialogs\/|data-table|forms\/(?!text-field|field-frame))|storefront\/|use-shared|error-page)|\/lucide-react\/|\/simple-icons\//,
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
