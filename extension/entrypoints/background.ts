import { browser } from "wxt/browser";
import { defineBackground } from "wxt/utils/define-background";
import { TEMPLATE_ORIGIN } from "#contracts/template-origin.ts";
import { listenForMessages } from "../background/listen-for-messages.ts";
import { createRedeemer } from "../background/redeemer.ts";
import { createDeviceStore } from "../shop/device-store.ts";
import { createShopClient } from "../shop/shop-client.ts";

export default defineBackground(() => {
  const redeemer = createRedeemer({
    client: createShopClient(TEMPLATE_ORIGIN),
    store: createDeviceStore(browser.storage.local),
    version: browser.runtime.getManifest().version,
    userAgent: navigator.userAgent,
  });
  listenForMessages(browser.runtime, redeemer, TEMPLATE_ORIGIN);
});
