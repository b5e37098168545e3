import { useEffect, useRef, useState } from "react";
import { useLocation, useRevalidator } from "react-router";
import { messageForCode } from "../../middleware/error-messages.ts";
import { NETWORK_ERROR_MESSAGE } from "../../ui/shop-connection.tsx";
import { useShared } from "../../use-shared.ts";
import { GOOGLE_FAILED } from "../auth-messages.ts";
import { type GoogleOutcome, type GooglePopup, googlePageAddress, openGooglePopup } from "./google-popup.ts";

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
    if (!navigator.onLine) return setMessage(NETWORK_ERROR_MESSAGE);
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
      return outcome.message || GOOGLE_FAILED;
    case "closed":
      return messageForCode("sign-in-cancelled");
    case "timed-out":
      return messageForCode("authentication-failed");
  }
}
