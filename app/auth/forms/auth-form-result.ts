import { data } from "react-router";
import { NETWORK_ERROR_MESSAGE, TYPED_IS_KEPT } from "../../ui/shop-connection.tsx";
import { t, translate } from "../../ui/texts/texts.ts";

/** What the actions of the account forms return. */
export type AuthFormResult =
  | {
      ok: true;
      message?: string;
      /** For a mail: false when the shop has no mail server, so that nobody should wait for it. */
      delivered?: boolean;
    }
  | {
      ok: false;
      message: string;
      fields?: Record<string, string[]>;
      /** A second sentence, about what was typed. */
      also?: string;
      /** The email that the shop asks about: sent again, the form creates the account. */
      confirmedEmail?: string;
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
    if (error instanceof TypeError)
      return { ok: false, message: t(NETWORK_ERROR_MESSAGE), also: t(TYPED_IS_KEPT) };
    return { ok: false, message: translate(failureMessage) };
  });
  // With this status the router does not load the page's data again after a refusal.
  return data(result, { status: result.ok ? 200 : 422 });
}

/** For an operation that fails with an error that is no refusal. */
export const SIGN_IN_FAILED = "Failed to sign in with email and password";
export const SIGN_UP_FAILED = "Failed to sign up with email and password";
export const GOOGLE_FAILED = "Failed to sign in with Google";
export const RESET_FAILED = "Failed to send password reset email";
export const NEW_PASSWORD_FAILED = "We couldn’t save your new password. Please try again.";

const RESET_SENT = "Password reset email sent. Please check your inbox.";
const MAIL_UNAVAILABLE = "This shop can’t send email. Please contact support.";

/** The answer to a requested reset. Without a mail server nobody should wait for the mail. */
export function resetAnswer({ delivered }: { delivered: boolean }) {
  return { message: t(delivered ? RESET_SENT : MAIL_UNAVAILABLE), delivered };
}
