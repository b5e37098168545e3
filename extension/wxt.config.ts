import { defineConfig } from "wxt";
import { EXTENSION_VERSION } from "#contracts/extension-version.ts";
import { TEMPLATE_ORIGIN } from "#contracts/template-origin.ts";

/** All pages of the shop. Match patterns have no port: the code compares the whole origin. */
const shopPages = `${TEMPLATE_ORIGIN}/*`;

// The least that works: the shop's own pages, and a place to store the device token.
export default defineConfig({
  manifestVersion: 3,
  imports: false,
  outDir: "../build/extension",
  outDirTemplate: "{{browser}}",
  manifest: ({ browser }) => ({
    name: "Daypass",
    description: "Opens the servers of your passes and shows how long the passes last.",
    version: EXTENSION_VERSION,
    permissions: ["storage"],
    host_permissions: [shopPages],
    // Without it Firefox would turn requests to a shop on http://localhost into https.
    content_security_policy: { extension_pages: "script-src 'self'; object-src 'none'" },
    ...(browser === "firefox"
      ? {
          browser_specific_settings: {
            gecko: {
              id: `daypass@${new URL(TEMPLATE_ORIGIN).host}`,
              strict_min_version: "140.0",
              data_collection_permissions: { required: ["authenticationInfo"] },
            },
          },
        }
      : { externally_connectable: { matches: [shopPages] }, minimum_chrome_version: "116" }),
  }),
});
