import type { Accent } from "#core/catalog/limits.ts";
import type { StoreSettings } from "#core/catalog/store-settings.server.ts";
import type { PassView } from "#core/passes/list-my-passes.server.ts";
import { TIME_TEXTS } from "../../time-texts.ts";
import { withCaches } from "../../ui/optional-interfaces.ts";
import { currentLanguage, type Language, type Message, translate } from "../../ui/texts/texts.ts";
import { forgetWallets, walletCacheOf, walletOwner } from "./wallet-caches.ts";

/** A pass as the wallet shows it without a connection. It opens nothing and identifies no payment. */
export interface StoredPass {
  toolName: string;
  orderNumber: string;
  /** Milliseconds since 1970, as all times here. */
  startsAt: number;
  /** With the renewal that waits, whose access follows without a gap. */
  endsAt: number;
}

/** What the page without a connection says about stored passes, besides times. */
export const OFFLINE_TEXTS = {
  offline: "You are offline",
  shopDown: "The shop is not responding",
  asOf: "These are your passes as of {time}.",
  openLater: "You can open your tools again once you are connected.",
  openOnceShopResponds: "Your passes are safe. You can open your tools again once the shop responds.",
  noPass: "As of {time}, you had no active pass.",
  tryAgain: "Try again",
  passes: "My Tools",
  active: "Active",
  expired: "Expired",
  startsLater: "Starts later",
  starts: "Starts {date}",
  ends: "Ends {date}",
  ended: "Ended {date}",
  noEnd: "No end",
  left: "{time} left",
  orderNumber: "Order number",
} as const satisfies Record<string, Message>;

/** The passes that the account had last. */
export interface StoredWallet {
  shopName: string;
  accent: Accent;
  timeZone: string;
  language: Language;
  /** The texts of the page without a connection in that language, by message. */
  texts: Record<string, string>;
  /** When the server sent the passes. */
  shownAt: number;
  passes: StoredPass[];
}

/** Names every member, so that nothing else of a pass is stored. */
export function toStoredWallet(
  passes: readonly PassView[],
  shownAt: Date,
  { store, timeZone }: { store: Pick<StoreSettings, "name" | "accent">; timeZone: string },
): StoredWallet {
  return {
    shopName: store.name,
    accent: store.accent,
    timeZone,
    language: currentLanguage(),
    texts: Object.fromEntries(
      [...Object.values(OFFLINE_TEXTS), ...Object.values(TIME_TEXTS)].map((message) => [
        message,
        translate(message),
      ]),
    ),
    shownAt: shownAt.getTime(),
    passes: passes.map(({ toolName, orderNumber, startsAt, expiresAt, renewedUntil }) => ({
      toolName,
      orderNumber,
      startsAt: startsAt.getTime(),
      endsAt: (renewedUntil ?? expiresAt).getTime(),
    })),
  };
}

const KEY = "/dashboard";

/**
 * Replaces what is stored in this browser, also of other accounts. Stores nothing when the page has meanwhile changed its account.
 * Never rejects.
 */
export async function storeWallet(userId: string, wallet: StoredWallet): Promise<void> {
  await forgetWallets(userId);
  // Where the storage is full or turned off the dashboard works, and there is no wallet without a connection.
  await withCaches(async (stored) => {
    const cache = await stored.open(walletCacheOf(userId));
    // A sign-out from here on deletes the cache after this.
    if (walletOwner() !== userId) await forgetWallets(walletOwner());
    else await cache.put(KEY, new Response(JSON.stringify(wallet)));
  });
}

/** null when none is stored, and when it is not clear whose wallet is to be shown. */
export function readStoredWallet(): Promise<StoredWallet | null> {
  return withCaches(async (stored) => {
    const [name, another] = await stored.keys();
    if (name === undefined || another !== undefined) return null;
    const wallet = await (await stored.open(name)).match(KEY);
    return wallet === undefined ? null : await wallet.json();
  });
}
