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
                // Changes only with an update of the packages, so it stays in the visitors' caches.
                {
                  name: "framework",
                  test: /node_modules\/(?:react|react-dom|react-router|scheduler|cookie|set-cookie-parser)\//,
                },
                // What several pages share, in one file instead of a request for every button and icon. Dialogs stay
                // out: they bring a library that nothing needs before it is asked for.
                {
                  name: "shared",
                  test: /\/app\/(?:ui\/(?!dialogs\/(?:full-screen-)?dialog\.)|storefront\/|use-shared|error-page)|\/lucide-react\/|\/simple-icons\//,
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
        // The one server bundle: our HTTP entry with the whole shop behind it.
        rolldownOptions: { input: "./server/http/entry.ts" },
      },
    },
  },
});
