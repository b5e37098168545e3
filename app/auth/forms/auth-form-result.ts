import { data } from "react-router";
import { NETWORK_ERROR_MESSAGE } from "../../ui/shop-connection.tsx";

/** What the actions of the account forms return. */
export type AuthFormResult =
  | {
      ok: true;
      message?: string;
      /** Of a mail: false when the shop has no mail server, so that nobody should wait for it. */
      delivered?: boolean;
    }
  | {
      ok: false;
      message: string;
      fields?: Record<string, string[]>;
      /** What was typed, for a page that is loaded again because it has no scripts. */
      email?: string;
    };

/**
 * Calls a form's action on the server. A failure of the call becomes a result, because the router would otherwise
 * replace the form, and what was typed into it, with the error page.
 *
 * @param failureMessage shown when the server fails without a reason
 */
export async function callServerAction(serverAction: () => Promise<AuthFormResult>, failureMessage: string) {
  const result = await serverAction().catch((error: unknown): AuthFormResult => {
    if (error instanceof Response) throw error;
    // fetch throws a TypeError when there is no response.
    return { ok: false, message: error instanceof TypeError ? NETWORK_ERROR_MESSAGE : failureMessage };
  });
  // With this status the router does not load the page's data again after a refusal.
  return data(result, { status: result.ok ? 200 : 422 });
}
