import type { SignInAttempt } from "#core/accounts/identity-provider.ts";
import type { Context } from "#core/context.ts";
import { LANGUAGES } from "#languages/languages.ts";
import { retryHeaders } from "../../errors/error-messages.ts";
import { SESSION_CHANNEL } from "../../live/page-channel.ts";
import { currentLanguage, t } from "../../ui/texts/texts.ts";
import { GOOGLE_FAILED } from "../forms/auth-form-result.ts";
import { GOOGLE_RESULT_KEY, type GoogleResult } from "../google/google-result.ts";
import { cookieHeaders, explainFailure } from "./form-response.server.ts";

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:15vh auto 0;max-width:26rem;padding:0 1.25rem}
a{color:inherit;display:inline-block;padding:.75rem 0}`;

/**
 * Hands the result to the page that waits for it: a window tells all pages of this browser and closes, and a page goes back to
 * where it came from. It is a small document of its own, because the window closes at once. Without scripts it shows the
 * message and a link. Without a channel the page learns that the window is closed, and loads its data again.
 */
const SCRIPT = `
const { channel, key, mode, returnTo, result } = JSON.parse(document.getElementById("result").textContent);
if (mode === "popup") {
  try { new BroadcastChannel(channel).postMessage(result); } catch {}
  window.close();
} else {
  try { sessionStorage.setItem(key, JSON.stringify(result)); } catch {}
  location.replace(returnTo);
}`;

interface ResultPage {
  attempt: SignInAttempt;
  nonce: string;
  result: Pick<GoogleResult, "ok" | "message">;
  status?: number;
  headers?: Headers;
}

/** The document that ends a sign-in with Google in its window, or in the page itself. */
export function googleResultPage({
  attempt,
  nonce,
  result,
  status = 200,
  headers = cookieHeaders(),
}: ResultPage) {
  const { mode, returnTo, attemptId } = attempt;
  const sent: GoogleResult = { type: "google-sign-in", attemptId, ...result };
  const data = { channel: SESSION_CHANNEL, key: GOOGLE_RESULT_KEY, mode, returnTo, result: sent };
  const text = result.message ?? t("You are signed in. You can close this window.");
  const back =
    mode === "page"
      ? `<p><a href="${escapeHtml(returnTo)}">${escapeHtml(t("Back to the shop"))}</a></p>`
      : "";
  headers.set("content-type", "text/html; charset=utf-8");
  headers.set("x-robots-tag", "noindex");
  keepOpener(headers);
  return new Response(
    `<!doctype html><html lang="${LANGUAGES[currentLanguage()].tag}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
      `<title>${escapeHtml(t("Sign in with Google"))}</title><style nonce="${nonce}">${STYLE}</style></head><body>` +
      `<p>${escapeHtml(text)}</p>${back}` +
      `<script type="application/json" id="result">${JSON.stringify(data).replaceAll("<", "\\u003c")}</script>` +
      `<script nonce="${nonce}">${SCRIPT}</script></body></html>`,
    { status, headers },
  );
}

/** The document for a sign-in with Google that failed. The failure is logged unless it is a refusal. */
export function googleFailurePage(
  ctx: Context,
  error: unknown,
  { attempt, nonce, setCookies }: { attempt: SignInAttempt; nonce: string; setCookies: string[] },
) {
  const { result, status } = explainFailure(ctx, GOOGLE_FAILED, error);
  const headers = cookieHeaders(setCookies);
  for (const [name, value] of Object.entries(retryHeaders(error))) headers.set(name, value);
  return googleResultPage({ attempt, nonce, result, status, headers });
}

/**
 * The page that has opened the window sees when it is closed. With the policy of all other pages the browser would separate the
 * two when the window comes back from the provider.
 */
export function keepOpener(headers: Headers): void {
  headers.set("cross-origin-opener-policy", "unsafe-none");
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
