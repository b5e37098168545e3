import { useSyncExternalStore } from "react";
import { isHandheld } from "#core/accounts/browser-name.ts";
import { hasExtensionAnswered } from "./extension-presence.ts";

/** Whether the extension can be installed in a browser: not on phones and tablets. An iPad says that it is a Mac. */
export function canHaveExtension(
  browser: Pick<Navigator, "userAgent" | "maxTouchPoints"> = navigator,
): boolean {
  const { userAgent, maxTouchPoints } = browser;
  return !isHandheld(userAgent) && !(userAgent.includes("Macintosh") && maxTouchPoints > 1);
}

/** Whether Click can reach the extension here. One that has answered is there, whatever the browser says it is. */
export const canReachExtension = (): boolean => canHaveExtension() || hasExtensionAnswered();

const subscribe = () => () => undefined;

/** Whether the page is on a phone or a tablet. False on the server. */
export function useIsHandheld(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => !canHaveExtension(),
    () => false,
  );
}
