/** What a form can check by itself, without the list of common passwords and without a schema library. */

export const PASSWORD_MINIMUM = 6;
export const ADMIN_PASSWORD_MINIMUM = 12;
/** Longer ones would only make hashing slow. */
export const PASSWORD_MAXIMUM = 128;

export const RESET_EMAIL_INVALID = "Please enter a valid email address";
export const PASSWORD_MISSING = "Please enter your password.";
export const PASSWORD_TOO_LONG = `Password can be at most ${PASSWORD_MAXIMUM} characters.`;

/** Addresses are compared and stored in this form. */
export function normaliseEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** A first look at an address while it is typed; the server's check is the strict one. */
export function looksLikeEmail(email: string): boolean {
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email.trim());
}
