import { browser } from "wxt/browser";
import { defineContentScript } from "wxt/utils/define-content-script";
import { TEMPLATE_ORIGIN } from "#contracts/template-origin.ts";
import { connectPage } from "../page/connect-page.ts";

export default defineContentScript({
  matches: [`${TEMPLATE_ORIGIN}/*`],
  runAt: "document_start",
  main() {
    connectPage(window, TEMPLATE_ORIGIN, {
      version: browser.runtime.getManifest().version,
      // Async: after an update of the extension the call throws instead of rejecting.
      redeem: async (request) => browser.runtime.sendMessage(request),
    });
  },
});
