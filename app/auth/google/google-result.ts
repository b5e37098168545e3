import { withStorage } from "../../ui/optional-interfaces.ts";

/** How a sign-in with Google ended. The document that ends it sends this to the pages of the browser. */
export interface GoogleResult {
  type: "google-sign-in";
  /** The attempt that the page has begun. */
  attemptId: string;
  ok: boolean;
  /** For a sign-in that failed. */
  message?: string;
}

/** Where a page that went to Google itself finds the result when it is back. */
export const GOOGLE_RESULT_KEY = "google-sign-in-result";

export function isGoogleResult(message: unknown): message is GoogleResult {
  return (
    typeof message === "object" && message !== null && "type" in message && message.type === "google-sign-in"
  );
}

/**
 * The message of a sign-in that failed while the page itself was at Google; null when there is none. It is returned once.
 */
export function takeFailureOfReturn(): string | null {
  return withStorage("session", (storage) => {
    const stored: unknown = JSON.parse(storage.getItem(GOOGLE_RESULT_KEY) ?? "null");
    storage.removeItem(GOOGLE_RESULT_KEY);
    return isGoogleResult(stored) ? (stored.message ?? null) : null;
  });
}
