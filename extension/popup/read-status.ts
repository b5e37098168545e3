import type { ExtensionStatus } from "#contracts/extension-api.ts";
import type { DeviceStore } from "../shop/device-store.ts";
import { type ShopClient, ShopError } from "../shop/shop-client.ts";

/** What the popup shows. */
export type PopupState =
  | { kind: "loading" }
  | { kind: "not-connected" }
  /** Not connected, because the account has no free device. */
  | { kind: "limit-reached"; limit: number }
  | { kind: "failed"; message: string }
  /** limit: the account that signed in last could not be connected for it, and this is an earlier account. */
  | { kind: "connected"; status: ExtensionStatus; limit: number | null };

/** Asks the shop for the passes and sessions of this browser. A token that the shop no longer accepts is removed. */
export async function readStatus(store: DeviceStore, client: ShopClient): Promise<PopupState> {
  const token = await store.readToken();
  const limit = await store.readReachedLimit();
  const withoutToken: PopupState =
    limit === null ? { kind: "not-connected" } : { kind: "limit-reached", limit };
  if (token === null) return withoutToken;
  try {
    return { kind: "connected", status: await client.readStatus(token), limit };
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
