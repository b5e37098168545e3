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
}

/** A buyer never has more requests waiting. */
const MAX_WAITING = 5;

const READY = "Ready. Press the Daypass icon at the top right.";

const NOT_CONNECTED =
  "This browser is not connected. Open the tool’s page in the shop and press Click next to a server.";

/** Redeems access codes with the shop, one after the other, so that two messages cannot overwrite each other's token. */
export function createRedeemer({ client, store, version, userAgent }: RedeemerParts): Redeemer {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function connect(ticket: string, installationId: string): Promise<string> {
    const token = await client.connect({ ticket, installationId, name: describeBrowser(userAgent), version });
    await store.writeToken(token);
    return token;
  }

  async function redeemNow({ accessCode, ticket, ...page }: RedeemRequest): Promise<RedeemResult> {
    const installationId = await store.readInstallationId(page.installationId);
    try {
      // A ticket is of the account that is signed in now, which may not be the one that this browser was connected to.
      const token = ticket === undefined ? await store.readToken() : await connect(ticket, installationId);
      if (token === null) return { blocked: true, message: NOT_CONNECTED };
      await client.redeem(token, accessCode);
      return {
        blocked: false,
        installationId,
        message: READY,
      };
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
