import { useEffect, useRef, useState } from "react";
import { useRevalidator } from "react-router";
import { messageForCode } from "../../middleware/error-messages.ts";
import { isShopReachable } from "../../ui/shop-connection.tsx";
import { useShared } from "../../use-shared.ts";
import { GOOGLE_FAILED } from "../forms/auth-form-result.ts";
import { type GoogleOutcome, type GooglePopup, openGooglePopup } from "../google/google-sign-in.ts";
import { explainCode, type Finding, GOOGLE_NOT_CONFIGURED } from "./findings.ts";

const WAITING: Finding = { status: "pending", text: "Complete your sign-in in the Google window." };

/** Runs the real sign-in with Google in its window, and says in words how it ended. */
export function useGoogleTest() {
  const { googleSignIn, origin } = useShared();
  const { revalidate } = useRevalidator();
  const popup = useRef<GooglePopup | null>(null);
  const [finding, setFinding] = useState<Finding | null>(null);
  useEffect(() => () => popup.current?.abandon(), []);

  const onOutcome = async (outcome: GoogleTestOutcome) => {
    popup.current = null;
    const asksShop = outcome.kind === "closed" || outcome.kind === "refused";
    const reachable = asksShop ? await isShopReachable() : true;
    setFinding(judgeGoogleTest(outcome, { reachable, actual: window.location.origin, expected: origin }));
    // Also after a window was closed: its result may have been lost.
    void revalidate();
  };

  const start = () => {
    if (!googleSignIn) return setFinding(GOOGLE_NOT_CONFIGURED);
    if (popup.current) return popup.current.focus();
    if (!navigator.onLine) return void onOutcome({ kind: "offline" });
    setFinding(WAITING);
    const opened = openGooglePopup((outcome) => void onOutcome(outcome));
    popup.current = opened;
    if (opened === null) return void onOutcome({ kind: "blocked" });
    // The browser may believe that it is online. Its window then shows an error page, which never answers.
    void isShopReachable().then((reachable) => reachable || opened.cancel());
  };

  return { finding, start, waiting: finding?.status === "pending" };
}

/** How the test of the sign-in with Google ended; `offline` and `blocked` before a window was open. */
export type GoogleTestOutcome = GoogleOutcome | { kind: "offline" } | { kind: "blocked" };

/** What the page knows when the window is closed. */
interface PageFacts {
  /** Whether the shop answers. */
  reachable: boolean;
  /** The origin at which the page was opened, and the shop's own. */
  actual: string;
  expected: string;
}

/** The result of the test in words. A closed window has a cause if the page knows one. */
export function judgeGoogleTest(outcome: GoogleTestOutcome, page: PageFacts): Finding {
  const { expected } = page;
  switch (outcome.kind) {
    case "signed-in":
      return { status: "success", text: "It works. You’re signed in." };
    case "offline":
      return { ...explainCode("auth/network-request-failed", expected), status: "error" };
    case "blocked":
      return {
        status: "error",
        text: "This browser blocked the Google window.",
        action: "Allow pop-ups for this site in your browser settings, then test again.",
      };
    case "timed-out":
      return {
        status: "error",
        text: "Google didn’t respond within ten minutes.",
        action: "Try again, and finish the sign-in in the Google window.",
      };
    case "refused":
      if (outcome.message === messageForCode("sign-in-cancelled")) return judgeClosed(page);
      return {
        status: "error",
        text: outcome.message || GOOGLE_FAILED,
        action: "Try again, or sign in with your email.",
      };
    case "closed":
      return judgeClosed(page);
  }
}

function judgeClosed({ reachable, actual, expected }: PageFacts): Finding {
  if (!reachable) return { ...explainCode("auth/network-request-failed", expected), status: "error" };
  if (actual !== expected) return { ...explainCode("auth/unauthorized-domain", expected), status: "error" };
  return { ...explainCode("auth/popup-closed-by-user", expected), status: "warning" };
}
