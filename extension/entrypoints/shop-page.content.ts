import { browser } from "wxt/browser";
import { defineContentScript } from "wxt/utils/define-content-script";
import { connectPage } from "../page/connect-page.ts";
import { SHOP_ORIGIN } from "../shop-origin.ts";

export default defineContentScript({
  matches: [`https://shop-origin.invalid/*`],
  runAt: "document_start",
  main() {
    connectPage(window, SHOP_ORIGIN, {
      version: browser.runtime.getManifest().version,
      // Async: after an update of the extension the call throws instead of rejecting.
      redeem: async (request) => browser.runtime.sendMessage(request),
    });
  },
});
