/** For an operation that fails with an error that is no refusal. */
export const SIGN_IN_FAILED = "Failed to sign in with email and password";
export const SIGN_UP_FAILED = "Failed to sign up with email and password";
export const GOOGLE_FAILED = "Failed to sign in with Google";
export const RESET_FAILED = "Failed to send password reset email";
export const NEW_PASSWORD_FAILED = "The new password could not be set. Please try again.";

export const RESET_SENT = "Password reset email sent. Please check your inbox.";
