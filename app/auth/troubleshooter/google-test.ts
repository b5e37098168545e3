import { messageForCode } from "../../middleware/error-messages.ts";
import { GOOGLE_FAILED } from "../auth-messages.ts";
import type { GoogleOutcome } from "../google/google-popup.ts";
import { explainCode } from "./auth-codes.ts";
import type { Finding } from "./findings.ts";

/** How the test of the sign-in with Google ended; `offline` and `blocked` before a window was open. */
export type GoogleTestOutcome = GoogleOutcome | { kind: "offline" } | { kind: "blocked" };

/** What the page knows when the window is closed. */
export interface PageFacts {
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
