import { useEffect, useSyncExternalStore } from "react";
import { PRESENCE_REQUEST, type Presence, presenceSchema } from "#contracts/page-messages.ts";
import { parseMessage } from "#contracts/parse-message.ts";
import { isHandheld } from "#core/accounts/browser-name.ts";
import { withStorage } from "../../ui/optional-interfaces.ts";

const STORAGE_KEY = "daypass.extension";

const listeners = new Set<() => void>();

/** Whether the extension has answered in this browser. False on the server, and where nothing can be stored. */
export function hasExtensionAnswered(): boolean {
  return withStorage("local", (storage) => storage.getItem(STORAGE_KEY) !== null) ?? false;
}

/** @param hasAnswered true: it answered; false: it was asked and did not */
export function rememberExtension(hasAnswered: boolean): void {
  // Where nothing can be stored, the page behaves as without the extension.
  withStorage("local", (storage) => {
    if (hasAnswered) storage.setItem(STORAGE_KEY, "answered");
    else storage.removeItem(STORAGE_KEY);
  });
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Asks whether the extension is there.
 *
 * @param onPresence called each time that the extension says so
 * @returns ends the listening
 */
export function askForExtension(onPresence: (presence: Presence) => void): () => void {
  const stop = listenToOwnWindow((message) => {
    const presence = parseMessage(presenceSchema, message);
    if (presence !== null) onPresence(presence);
  });
  window.postMessage(PRESENCE_REQUEST, window.location.origin);
  return stop;
}

/** Asks whether the extension is there, and tells whether it has ever answered in this browser. */
export function useExtensionPresence(): boolean {
  useEffect(() => askForExtension(() => rememberExtension(true)), []);
  return useSyncExternalStore(subscribe, hasExtensionAnswered, () => false);
}

/**
 * Hears messages that were posted to this window by itself, as the content script of the extension does; none of other
 * windows, frames or origins. The content of a message is anybody's: the listener parses it.
 *
 * @returns ends the listening
 */
export function listenToOwnWindow(listener: (message: unknown) => void): () => void {
  const receive = (event: MessageEvent<unknown>) => {
    if (event.source !== window || event.origin !== window.location.origin) return;
    listener(event.data);
  };
  window.addEventListener("message", receive);
  return () => window.removeEventListener("message", receive);
}

/** Whether the extension can be installed in a browser: not on phones and tablets. An iPad says that it is a Mac. */
export function canHaveExtension(
  browser: Pick<Navigator, "userAgent" | "maxTouchPoints"> = navigator,
): boolean {
  const { userAgent, maxTouchPoints } = browser;
  return !isHandheld(userAgent) && !(userAgent.includes("Macintosh") && maxTouchPoints > 1);
}

/** Whether Click can reach the extension here. An extension that has answered is there, whatever the browser says it is. */
export const canReachExtension = (): boolean => canHaveExtension() || hasExtensionAnswered();
