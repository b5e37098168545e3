import type { ExtensionStatus } from "#contracts/extension-api.ts";
import type { DeviceStore } from "../shop/device-store.ts";
import { type ShopClient, ShopError } from "../shop/shop-client.ts";

/** What the popup shows. */
export type PopupState =
  | { kind: "loading" }
  | { kind: "not-connected" }
  /** Not connected, because the account has no free device. */
  | { kind: "limit-reached" }
  | { kind: "failed"; message: string }
  /** limitReached: the account that signed in last could not be connected, and this is an earlier one. */
  | { kind: "connected"; status: ExtensionStatus; limitReached: boolean };

/** Asks the shop for the passes and sessions of this browser. A token that the shop no longer accepts is removed. */
export async function readStatus(store: DeviceStore, client: ShopClient): Promise<PopupState> {
  const token = await store.readToken();
  const limitReached = await store.isLimitReached();
  const withoutToken = { kind: limitReached ? "limit-reached" : "not-connected" } as const;
  if (token === null) return withoutToken;
  try {
    return { kind: "connected", status: await client.readStatus(token), limitReached };
  } catch (error) {
    if (!(error instanceof ShopError)) throw error;
    if (error.code !== "device-not-connected") return { kind: "failed", message: error.message };
    const stored = await store.readToken();
    // A redemption has connected this browser again in the meantime, which ended the earlier token.
    if (stored !== null && stored !== token) return readStatus(store, client);
    await store.removeToken();
    return withoutToken;
  }
}
