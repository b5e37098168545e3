import { browser } from "wxt/browser";
import { defineBackground } from "wxt/utils/define-background";
import { TEMPLATE_ORIGIN } from "#contracts/template-origin.ts";
import { listenForMessages } from "../background/listen-for-messages.ts";
import { createRedeemer } from "../background/redeemer.ts";
import { createDeviceStore } from "../shop/device-store.ts";
import { createShopClient } from "../shop/shop-client.ts";

/**
 * A tab is opened only after the page has overwritten the clipboard, which takes 100 ms and which a page in the background
 * must not do; by then the page also says what happens.
 */
const OPEN_AFTER_MS = 600;

export default defineBackground(() => {
  const redeemer = createRedeemer({
    client: createShopClient(TEMPLATE_ORIGIN),
    store: createDeviceStore(browser.storage.local),
    version: browser.runtime.getManifest().version,
    userAgent: navigator.userAgent,
    shopOrigin: TEMPLATE_ORIGIN,
    // Needs no permission: a new tab is opened, and none is read.
    openTab: (url) => void setTimeout(() => void browser.tabs.create({ url }), OPEN_AFTER_MS),
    now: Date.now,
  });
  listenForMessages(browser.runtime, redeemer, TEMPLATE_ORIGIN);
});
