import * as z from "zod/mini";
import {
  type ExtensionResponse,
  INSTALLATION_KEY,
  type Presence,
  presence,
  presenceRequestSchema,
  RESPONSE_TYPE,
  type Trigger,
  triggerSchema,
} from "#contracts/page-messages.ts";
import { parseMessage } from "#contracts/parse-message.ts";
import { type RedeemMessage, redeemResultSchema } from "./redeem-message.ts";

interface PageConnection {
  version: string;
  /** Sends a message to the background of the extension. The answer is not trusted. */
  redeem(message: RedeemMessage): Promise<unknown>;
}

/** The part of `window` that is used here. */
export interface ShopPage {
  location: { origin: string };
  /** The window of the tab; another one when the page is in a frame. */
  top: unknown;
  localStorage: { getItem(key: string): string | null; setItem(key: string, value: string): void };
  postMessage(message: ExtensionResponse | Presence, origin: string): void;
  addEventListener(type: "message", listener: (event: PageMessage) => void): void;
}

interface PageMessage {
  source: unknown;
  origin: string;
  data: unknown;
}

const FAILED = "The extension could not redeem the code. Please reload the page and try again.";

/**
 * Connects a page of the shop to the extension. Only messages of this window and of the shop's own origin count: a frame,
 * another window or another site is ignored, and so is every message that is not in the contract.
 */
export function connectPage(page: ShopPage, origin: string, connection: PageConnection): void {
  // Match patterns have no port, so the browser also runs this on other ports of the shop's host.
  if (page.location.origin !== origin || page.top !== page) return;
  const post = (message: ExtensionResponse | Presence) => page.postMessage(message, origin);
  const announce = () => post(presence(connection.version));

  page.addEventListener("message", (event) => {
    if (event.source !== page || event.origin !== origin) return;
    if (parseMessage(presenceRequestSchema, event.data) !== null) return announce();
    const trigger = parseMessage(triggerSchema, event.data);
    if (trigger !== null) void redeem(trigger, page, connection).then(post);
  });
  announce();
}

async function redeem(
  { accessCode, ticket, requestId }: Trigger,
  page: ShopPage,
  connection: PageConnection,
): Promise<ExtensionResponse> {
  const installationId = readInstallationId(page);
  const message: RedeemMessage = { kind: "redeem", accessCode, ticket, installationId };
  // The background is gone after an update of the extension, until the page is reloaded.
  const answer = await connection.redeem(message).catch(() => null);
  const result = parseMessage(redeemResultSchema, answer);
  if (result?.installationId !== undefined) rememberInstallationId(page, result.installationId);
  const { blocked, message: text, limit } = result ?? { blocked: true, message: FAILED, limit: undefined };
  return { type: RESPONSE_TYPE, blocked, message: text, limit, requestId };
}

/*
 * Firefox forgets a temporary extension and what it stored when it closes. The shop's page remembers the installation, so
 * that it is not counted as a new device each time. The dashboard finds its own browser by it in the list of devices.
 */

function readInstallationId(page: ShopPage): string | undefined {
  try {
    return parseMessage(z.uuid(), page.localStorage.getItem(INSTALLATION_KEY)) ?? undefined;
  } catch {
    return undefined;
  }
}

function rememberInstallationId(page: ShopPage, id: string): void {
  try {
    page.localStorage.setItem(INSTALLATION_KEY, id);
  } catch {
    // Nothing can be stored in this browser.
  }
}
