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
  /**
   * limit: the account that signed in last could not be connected for it, and this is an earlier account. clickedSessionId: the
   * session of a Click of the last minutes, whose code the popup shows at once.
   */
  | { kind: "connected"; status: ExtensionStatus; limit: number | null; clickedSessionId: string | null };

/** Asks the shop for the passes and sessions of this browser. A token that the shop no longer accepts is removed. */
export async function readStatus(store: DeviceStore, client: ShopClient): Promise<PopupState> {
  const token = await store.readToken();
  const limit = await store.readReachedLimit();
  const withoutToken: PopupState =
    limit === null ? { kind: "not-connected" } : { kind: "limit-reached", limit };
  if (token === null) return withoutToken;
  try {
    const status = await client.readStatus(token);
    return { kind: "connected", status, limit, clickedSessionId: await readClickedSession(store) };
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

/** How long after a Click the popup shows its code without a further press. */
const CLICKED_MS = 10 * 60_000;

async function readClickedSession(store: DeviceStore): Promise<string | null> {
  const last = await store.readLastSession();
  return last !== null && Math.abs(Date.now() - last.at) < CLICKED_MS ? last.id : null;
}
