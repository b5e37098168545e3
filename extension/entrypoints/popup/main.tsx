import { createRoot } from "react-dom/client";
import { browser } from "wxt/browser";
import { Popup } from "../../popup/popup.tsx";
import { readStatus } from "../../popup/read-status.ts";
import "../../popup/popup.css";
import { TEMPLATE_ORIGIN } from "#contracts/template-origin.ts";
import { createDeviceStore } from "../../shop/device-store.ts";
import { createShopClient } from "../../shop/shop-client.ts";

const root = document.getElementById("root");
if (root === null) throw new Error("the popup has no root element");

const store = createDeviceStore(browser.storage.local);
const client = createShopClient(TEMPLATE_ORIGIN);

createRoot(root).render(
  <Popup
    shopOrigin={TEMPLATE_ORIGIN}
    version={browser.runtime.getManifest().version}
    load={() => readStatus(store, client)}
    reveal={async (sessionId) => client.revealCode((await store.readToken()) ?? "", sessionId)}
  />,
);
