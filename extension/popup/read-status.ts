import type { ExtensionStatus } from "#contracts/extension-api.ts";
import type { DeviceStore } from "../shop/device-store.ts";
import { type ShopClient, ShopError } from "../shop/shop-client.ts";

/** What the popup shows. */
export type PopupState =
  | { kind: "loading" }
  | { kind: "not-connected" }
  | { kind: "failed"; message: string }
  | { kind: "connected"; status: ExtensionStatus };

/** Asks the shop for the passes and sessions of this browser. A token that the shop no longer accepts is removed. */
export async function readStatus(store: DeviceStore, client: ShopClient): Promise<PopupState> {
  const token = await store.readToken();
  if (token === null) return { kind: "not-connected" };
  try {
    return { kind: "connected", status: await client.readStatus(token) };
  } catch (error) {
    if (!(error instanceof ShopError)) throw error;
    if (error.code !== "device-not-connected") return { kind: "failed", message: error.message };
    // A redemption may have stored a new token in the meantime.
    if ((await store.readToken()) === token) await store.removeToken();
    return { kind: "not-connected" };
  }
}
