import { MINUTE, SECOND } from "#core/time.ts";
import { messageForCode } from "../../errors/error-messages.ts";
import { daysText } from "../../time/time-texts.ts";
import { plural, t } from "../../ui/texts/texts.ts";
import { GOOGLE_FAILED } from "../forms/auth-form-result.ts";
import type { GoogleOutcome } from "../google/google-sign-in.ts";

export type Status = "pending" | "success" | "warning" | "error";

/** The result of one check, in words of the page's language. */
export interface Finding {
  status: Status;
  text: string;
  /** What the person can do. */
  action?: string;
  /** For support. */
  code?: AuthCode;
}

const SLOW_MS = 3 * SECOND;
const CLOCK_WARNING_MS = 2 * MINUTE;
const CLOCK_ERROR_MS = 5 * MINUTE;

export const pending = (): Finding => ({ status: "pending", text: t("Checking…") });

/** For a check that needs the shop, while the shop cannot be reached. */
export const notChecked = (): Finding => ({
  status: "warning",
  text: t("Not checked, because the shop can’t be reached."),
});

/** For a check that the shop refused or could not make, such as after many runs. */
export const notAnswered = (): Finding => ({
  status: "warning",
  text: t("Not checked, because the shop didn’t respond."),
  action: t("Run the diagnostics again in a few minutes."),
});

/** @param tookMs how long the shop needed for its answer; null: it did not answer */
export function judgeConnection(tookMs: number | null, origin: string): Finding {
  if (tookMs === null) {
    const explanation = explainCode("auth/network-request-failed", origin);
    return { ...explanation, status: "error", text: t("The shop can’t be reached.") };
  }
  if (tookMs > SLOW_MS)
    return {
      status: "warning",
      text: t("The shop responded, but it took {seconds} seconds.", {
        seconds: Math.round(tookMs / SECOND),
      }),
      action: t("Try again on a faster connection."),
    };
  return { status: "success", text: t("The shop is responding.") };
}

/** @param accepted whether the shop accepts forms from this address */
export function judgeAddress(facts: { actual: string; expected: string; accepted: boolean }): Finding {
  if (facts.accepted && facts.actual === facts.expected)
    return { status: "success", text: t("You’re at the shop’s own web address.") };
  const explanation = explainCode("auth/unauthorized-domain", facts.expected);
  if (!facts.accepted) return { ...explanation, status: "error" };
  return {
    ...explanation,
    status: "warning",
    text: t("Signing in with email works at this web address, but Google may not."),
  };
}

/**
 * @param stored whether the page could store a cookie and read it again
 * @param sent whether the browser sent it to the shop
 */
export function judgeCookies({ stored, sent }: { stored: boolean; sent: boolean }): Finding {
  if (stored && sent) return { status: "success", text: t("This browser accepts cookies.") };
  return {
    status: "error",
    text: t(stored ? "This browser doesn’t send cookies to the shop." : "This browser blocks cookies."),
    action: t("Allow cookies for this site in your browser settings, then reload the page."),
  };
}

/**
 * @param returned whether a cookie with the attributes of the session's came back to the shop
 * @param needsHttps whether the page was opened without https, though the shop has it
 */
export function judgeSession(facts: { returned: boolean; signedIn: boolean; needsHttps: boolean }): Finding {
  if (facts.returned) {
    return {
      status: "success",
      text: t(facts.signedIn ? "You’re signed in." : "This browser keeps you signed in."),
    };
  }
  return {
    status: "error",
    text: t("This browser doesn’t keep the shop’s sign-in cookie."),
    action: t(
      facts.needsHttps
        ? "Open the shop with https:// at the beginning of its address."
        : "Turn off private browsing and any extension that deletes cookies, or try another browser.",
    ),
  };
}

/** @param aheadMs how far the clock of the device is ahead of the shop's; negative when it is behind */
export function judgeClock(aheadMs: number): Finding {
  const byMs = Math.abs(aheadMs);
  if (byMs <= CLOCK_WARNING_MS) return { status: "success", text: t("This device’s clock is right.") };
  const time = spell(byMs);
  return {
    status: byMs > CLOCK_ERROR_MS ? "error" : "warning",
    text:
      aheadMs > 0
        ? t("This device’s clock is {time} fast.", { time })
        : t("This device’s clock is {time} slow.", { time }),
    action: t("Turn on automatic date and time in your device settings, then reload the page."),
  };
}

export function judgeWindow(opened: boolean): Finding {
  if (opened) return { status: "success", text: t("This browser allows pop-ups.") };
  return {
    status: "warning",
    text: t("This browser blocks pop-ups, so Google’s sign-in page opens in this tab instead."),
    action: t("To use a separate window, allow pop-ups for this site in your browser settings."),
  };
}

export const googleNotConfigured = (): Finding => ({
  status: "warning",
  text: t("This shop doesn’t offer sign-in with Google."),
  action: t("Sign in with your email instead."),
});

type ProviderFacts =
  | { state: "not-configured" | "unreachable" }
  /** Whether this browser could reach the provider. */
  | { state: "known"; reached: boolean };

export function judgeProvider(facts: ProviderFacts, origin: string): Finding {
  if (facts.state !== "known") {
    if (facts.state === "not-configured") return googleNotConfigured();
    return {
      status: "error",
      text: t("The shop can’t reach Google at the moment."),
      action: t("Sign in with your email, or try Google again in a few minutes."),
    };
  }
  if (facts.reached) return { status: "success", text: t("This browser can reach Google’s sign-in page.") };
  const explanation = explainCode("auth/network-request-failed", origin);
  return { ...explanation, status: "error", text: t("This browser can’t reach Google’s sign-in page.") };
}

function spell(ms: number): string {
  const minutes = Math.round(ms / MINUTE);
  if (minutes < 120) return plural(minutes, "a minute", "{count} minutes");
  const hours = Math.round(minutes / 60);
  if (hours < 48) return plural(hours, "an hour", "{count} hours");
  return daysText(Math.round(hours / 24));
}

/** The codes of failed sign-ins that the diagnostics explain. Support asks for them. */
type AuthCode = "auth/unauthorized-domain" | "auth/popup-closed-by-user" | "auth/network-request-failed";

/** What has happened, and what the person can do about it. */
interface Explanation {
  code: AuthCode;
  text: string;
  action: string;
}

/** @param origin where people can sign in, such as "https://shop.example" */
export function explainCode(code: AuthCode, origin: string): Explanation {
  switch (code) {
    case "auth/unauthorized-domain":
      return {
        code,
        text: t("You can’t sign in at this web address."),
        action: t("Open the shop at {address} and sign in there.", { address: origin }),
      };
    case "auth/popup-closed-by-user":
      return {
        code,
        text: t("The Google window was closed before you finished signing in."),
        action: t("Try again, and leave the window open until it closes by itself."),
      };
    case "auth/network-request-failed":
      return {
        code,
        text: t("The connection failed."),
        action: t(
          "Check your internet connection. If you use a VPN or an ad blocker, turn it off and try again.",
        ),
      };
  }
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
      return { status: "success", text: t("It works. You’re signed in.") };
    case "offline":
      return { ...explainCode("auth/network-request-failed", expected), status: "error" };
    case "blocked":
      return {
        status: "error",
        text: t("This browser blocked the Google window."),
        action: t("Allow pop-ups for this site in your browser settings, then test again."),
      };
    case "timed-out":
      return {
        status: "error",
        text: t("Google didn’t respond within ten minutes."),
        action: t("Try again, and finish the sign-in in the Google window."),
      };
    case "refused":
      if (outcome.message === messageForCode("sign-in-cancelled")) return judgeClosed(page);
      return {
        status: "error",
        text: outcome.message || t(GOOGLE_FAILED),
        action: t("Try again, or sign in with your email."),
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
