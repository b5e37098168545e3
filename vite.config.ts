import { reactRouter } from "@react-router/dev/vite";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [tailwindcss(), reactRouter()],
  environments: {
    ssr: {
      build: {
        // The one server bundle: our HTTP entry with the whole shop behind it.
        rollupOptions: { input: "./server/http/entry.ts" },
      },
    },
  },
});
