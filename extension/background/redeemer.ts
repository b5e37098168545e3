import type { ExtensionSession } from "#contracts/extension-api.ts";
import type { DeviceStore } from "../shop/device-store.ts";
import { type ShopClient, ShopError } from "../shop/shop-client.ts";
import { describeBrowser } from "./describe-browser.ts";

/** What a page asks for. The email and the tool's name of a message are not used: the shop knows both. */
export interface RedeemRequest {
  accessCode: string;
  /** Connects this installation to the account that is signed in on the page. */
  ticket: string | undefined;
  /** What the page remembers of an earlier installation. */
  installationId?: string | undefined;
}

export interface RedeemResult {
  blocked: boolean;
  /** For the buyer. */
  message: string;
  /** Of this installation, for the page to remember. */
  installationId?: string;
  /** How many browsers the account may use, when that was the reason of the refusal. */
  limit?: number;
}

export interface Redeemer {
  redeem(request: RedeemRequest): Promise<RedeemResult>;
}

interface RedeemerParts {
  client: ShopClient;
  store: DeviceStore;
  version: string;
  userAgent: string;
  shopOrigin: string;
  /** Opens the address of a server in a new tab. */
  openTab(url: string): void;
  now(): number;
}

/** A page asks twice when the first answer takes longer than a second. One tab is enough. */
const SAME_CLICK_MS = 5000;

/** A buyer never has more requests waiting. */
const MAX_WAITING = 5;

const READY = "Ready. Press the Daypass icon at the top right.";

const NOT_CONNECTED =
  "This browser is not connected. Open the tool’s page in the shop and press Click next to a server.";

/** Redeems access codes with the shop, one after the other, so that two messages cannot overwrite each other's token. */
export function createRedeemer(parts: RedeemerParts): Redeemer {
  const { client, store, version, userAgent, shopOrigin } = parts;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function connect(ticket: string, installationId: string): Promise<string> {
    const token = await client.connect({ ticket, installationId, name: describeBrowser(userAgent), version });
    await store.writeToken(token);
    return token;
  }

  /** An address in the shop is the page that the buyer has just left by Click. */
  async function openSession({ id, launchUrl }: ExtensionSession): Promise<void> {
    const last = await store.readLastSession();
    const at = parts.now();
    await store.writeLastSession({ id, at });
    const isSameClick = last?.id === id && Math.abs(at - last.at) < SAME_CLICK_MS;
    if (!isSameClick && new URL(launchUrl).origin !== shopOrigin) parts.openTab(launchUrl);
  }

  async function redeemNow({ accessCode, ticket, ...page }: RedeemRequest): Promise<RedeemResult> {
    const installationId = await store.readInstallationId(page.installationId);
    try {
      // A ticket is of the account that is signed in now, which may not be the one that this browser was connected to.
      const token = ticket === undefined ? await store.readToken() : await connect(ticket, installationId);
      if (token === null) return { blocked: true, message: NOT_CONNECTED };
      await openSession(await client.redeem(token, accessCode));
      return { blocked: false, installationId, message: READY };
    } catch (error) {
      if (!(error instanceof ShopError)) throw error;
      if (error.code === "device-not-connected") await store.removeToken();
      // The popup then says what to do: the buyer may open it after the page is closed.
      const { message, limit } = error;
      if (limit !== undefined) await store.markLimitReached(limit);
      return { blocked: true, message, ...(limit !== undefined && { limit }) };
    }
  }

  return {
    async redeem(request) {
      if (waiting >= MAX_WAITING) return { blocked: true, message: "Please wait a moment and try again." };
      waiting++;
      const result = last.then(() => redeemNow(request));
      last = result.catch(() => undefined);
      try {
        return await result;
      } finally {
        waiting--;
      }
    },
  };
}
