/** For an operation that fails with an error that is no refusal. */
export const SIGN_IN_FAILED = "Failed to sign in with email and password";
export const SIGN_UP_FAILED = "Failed to sign up with email and password";
export const GOOGLE_FAILED = "Failed to sign in with Google";
export const RESET_FAILED = "Failed to send password reset email";
export const NEW_PASSWORD_FAILED = "The new password could not be set. Please try again.";

const RESET_SENT = "Password reset email sent. Please check your inbox.";
export const MAIL_UNAVAILABLE = "This shop cannot send mail. Contact support.";

/** The answer to a requested reset. Without a mail server nobody should wait for the mail. */
export function resetAnswer({ delivered }: { delivered: boolean }) {
  return { message: delivered ? RESET_SENT : MAIL_UNAVAILABLE, delivered };
}
