import { useEffect, useRef, useState } from "react";
import { useLocation, useRevalidator } from "react-router";
import { GOOGLE_START_PATH } from "#core/accounts/identity-provider.ts";
import { messageForCode } from "../../errors/error-messages.ts";
import { listenToOtherPages } from "../../live/page-channel.ts";
import { NETWORK_ERROR_MESSAGE } from "../../ui/shop-connection.tsx";
import { t } from "../../ui/texts/texts.ts";
import { useShared } from "../../use-shared.ts";
import { GOOGLE_FAILED } from "../forms/auth-form-result.ts";
import { isGoogleResult } from "./google-result.ts";

/** Why there is no sign-in with Google inside an app. */
export const INSIDE_APP = "Google does not allow this inside an app. {open}, or use email.";

/** The browsers that apps such as Instagram and Facebook open links in: on Android "; wv", on iOS without "Safari/". */
const APP =
  /\b(?:Instagram|FBA[NV]|FB_IAB|MicroMessenger|Snapchat|Line\/)|; wv\)|\((?:iPhone|iPad|iPod)(?!.*Safari\/)/;

/** A shop that was added to the home screen of an iPhone also has no "Safari/". */
const isOnHomeScreen = (): boolean =>
  typeof matchMedia === "function" && matchMedia("(display-mode: standalone)").matches;

/** Google refuses every sign-in inside an app. */
export function isInsideApp(userAgent = navigator.userAgent, isInstalled = isOnHomeScreen()): boolean {
  return !isInstalled && APP.test(userAgent);
}

/** How a sign-in in a window ended. `refused` has the message of the shop. */
export type GoogleOutcome =
  | { kind: "signed-in" }
  | { kind: "refused"; message: string }
  | { kind: "closed" }
  | { kind: "timed-out" };

export interface GooglePopup {
  /** Brings the window to the front. */
  focus(): void;
  /** Closes the window; the outcome is `closed`. */
  cancel(): void;
  /** Stops waiting without an outcome. The window stays, and its sign-in still counts. */
  abandon(): void;
}

const POLL_MS = 300;
/** The result of a window arrives a moment after it has closed itself. */
const CLOSED_GRACE_MS = 700;
/** As long as the shop accepts the answer of the provider. */
const TIMEOUT_MS = 10 * 60_000;

/**
 * Opens the sign-in of Google in a window. Call it in the handler of a click: the browser blocks any other window.
 *
 * @returns null when the browser has blocked the window
 */
export function openGooglePopup(onOutcome: (outcome: GoogleOutcome) => void): GooglePopup | null {
  const attemptId = randomId();
  const query = new URLSearchParams({ mode: "popup", attempt: attemptId });
  const popup = window.open(`${GOOGLE_START_PATH}?${query}`, "daypass-google", popupFeatures());
  if (popup === null || popup.closed) return null;

  let grace: ReturnType<typeof setTimeout> | undefined;
  const stopListening = listenToOtherPages((message) => {
    if (!isGoogleResult(message) || message.attemptId !== attemptId) return;
    end(message.ok ? { kind: "signed-in" } : { kind: "refused", message: message.message ?? "" });
  });
  const poll = setInterval(() => {
    if (popup.closed) endSoon();
  }, POLL_MS);
  const timeout = setTimeout(() => end({ kind: "timed-out" }), TIMEOUT_MS);

  function endSoon() {
    grace ??= setTimeout(() => end({ kind: "closed" }), CLOSED_GRACE_MS);
  }

  function abandon() {
    stopListening();
    clearInterval(poll);
    clearTimeout(timeout);
    clearTimeout(grace);
  }

  function end(outcome: GoogleOutcome) {
    abandon();
    if (outcome.kind === "timed-out") popup?.close();
    onOutcome(outcome);
  }

  function cancel() {
    popup?.close();
    // A window that is still opening may ignore it.
    endSoon();
  }

  return { focus: () => popup.focus(), cancel, abandon };
}

/** Where the page itself goes when it cannot open a window. It comes back to `returnTo`. */
export function googlePageAddress(returnTo: string): string {
  return `${GOOGLE_START_PATH}?${new URLSearchParams({ mode: "page", returnTo })}`;
}

/** A window of the provider's usual size, in the middle of the page's. */
function popupFeatures(): string {
  const [width, height] = [480, 640];
  const left = Math.round(window.screenX + (window.outerWidth - width) / 2);
  const top = Math.round(window.screenY + (window.outerHeight - height) / 2);
  return `popup,width=${width},height=${height},left=${left},top=${top}`;
}

/** Not crypto.randomUUID, which exists only with https. */
function randomId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}

/**
 * Signs in with Google in a window of its own, or in the page itself when the browser blocks the window. After a success the
 * page loads its data again, and everything that waits for the user goes on.
 */
export function useGoogleSignIn() {
  const { googleSignIn } = useShared();
  const { revalidate } = useRevalidator();
  const { pathname, search } = useLocation();
  const popup = useRef<GooglePopup | null>(null);
  const [waiting, setWaiting] = useState(false);
  const [message, setMessage] = useState<string>();
  useEffect(() => () => popup.current?.abandon(), []);

  const onOutcome = (outcome: GoogleOutcome) => {
    popup.current = null;
    setWaiting(false);
    setMessage(messageOf(outcome));
    // Also after a window was closed: its result may have been lost.
    void revalidate();
  };

  const start = () => {
    setMessage(undefined);
    if (!googleSignIn) return setMessage(messageForCode("sign-in-method-disabled"));
    if (isInsideApp()) return setMessage(t(INSIDE_APP, { open: t("Open in your browser") }));
    if (!navigator.onLine) return setMessage(t(NETWORK_ERROR_MESSAGE));
    if (popup.current) return popup.current.focus();
    popup.current = openGooglePopup(onOutcome);
    setWaiting(popup.current !== null);
    if (popup.current === null) window.location.assign(googlePageAddress(pathname + search));
  };

  return {
    isConfigured: googleSignIn,
    start,
    cancel: () => popup.current?.cancel(),
    /** A window is open. */
    waiting,
    message,
  };
}

function messageOf(outcome: GoogleOutcome): string | undefined {
  switch (outcome.kind) {
    case "signed-in":
      return undefined;
    case "refused":
      return outcome.message || t(GOOGLE_FAILED);
    case "closed":
      return messageForCode("sign-in-cancelled");
    case "timed-out":
      return messageForCode("authentication-failed");
  }
}
