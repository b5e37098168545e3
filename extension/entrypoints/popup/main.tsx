import { createRoot } from "react-dom/client";
import { browser } from "wxt/browser";
import { Popup } from "../../popup/popup.tsx";
import { readStatus } from "../../popup/read-status.ts";
import "../../popup/popup.css";
import { createDeviceStore } from "../../shop/device-store.ts";
import { createShopClient } from "../../shop/shop-client.ts";
import { SHOP_ORIGIN } from "../../shop-origin.ts";

const root = document.getElementById("root");
if (root === null) throw new Error("the popup has no root element");

const store = createDeviceStore(browser.storage.local);
const client = createShopClient(SHOP_ORIGIN);

createRoot(root).render(
  <Popup
    shopOrigin={SHOP_ORIGIN}
    version={browser.runtime.getManifest().version}
    load={() => readStatus(store, client)}
  />,
);
