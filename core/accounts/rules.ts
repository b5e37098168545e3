/* Rules that the browser checks or shows too. This file imports neither the common passwords nor a schema library. */

import { normaliseEmail } from "../typed-text.ts";

export const PASSWORD_MINIMUM = 6;
export const ADMIN_PASSWORD_MINIMUM = 12;
/** Limits the cost of hashing. */
export const PASSWORD_MAXIMUM = 128;

export const RESET_EMAIL_INVALID = "Please enter a valid email address";
export const PASSWORD_MISSING = "Please enter your password.";
export const PASSWORD_TOO_LONG: `Password can be at most ${typeof PASSWORD_MAXIMUM} characters.` =
  "Password can be at most 128 characters.";

/** The longest email address of RFC 5321. */
export const EMAIL_MAXIMUM = 254;

export const NAME_MAXIMUM = 100;
/** What a person types to confirm the deletion of their account. */
export const DELETION_WORD = "DELETE";
export const NAME_MISSING = "Please enter your name.";
// Whole texts, so that the catalogues of the languages have them; the types keep the number and the word the same.
export const NAME_TOO_LONG: `The name can be at most ${typeof NAME_MAXIMUM} characters.` =
  "The name can be at most 100 characters.";
export const DELETION_WORD_MISSING: `Please type ${typeof DELETION_WORD}.` = "Please type DELETE.";

/** A loose check while an email is typed. The server checks strictly. */
export function looksLikeEmail(email: string): boolean {
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(normaliseEmail(email));
}

/** How long a session of an admin may be idle and may last, unless the owner sets other numbers. */
export const DEFAULT_ADMIN_SESSIONS = { idleHours: 12, maxDays: 7 };
