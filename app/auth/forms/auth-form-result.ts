import { data } from "react-router";

/** What the actions of this folder answer to a form. */
export type AuthAnswer =
  | { ok: true; message?: string }
  | { ok: false; message: string; fields?: Record<string, string[]> };

export const NETWORK_FAILURE = "Network error. Please check your internet connection.";

/**
 * Asks the server's action, and turns what is no answer into one: a form must not lose what was typed to an error page.
 *
 * @param failed said when the server failed without telling why
 */
export async function answerInPlace(ask: () => Promise<AuthAnswer>, failed: string) {
  const answer = await ask().catch((error: unknown): AuthAnswer => {
    if (error instanceof Response) throw error;
    // What fetch throws when nothing answered.
    return { ok: false, message: error instanceof TypeError ? NETWORK_FAILURE : failed };
  });
  // The status keeps the router from loading the page's data again after a refusal.
  return data(answer, { status: answer.ok ? 200 : 422 });
}
