import { z } from "zod";
import { DomainError, InvalidInputError } from "../errors.ts";
import { cleanText, EMAIL_PATTERN, normaliseEmail } from "../typed-text.ts";
import { findPasswordProblem, type PasswordOwner } from "./password-rules.ts";
import { EMAIL_MAXIMUM, PASSWORD_MISSING, PASSWORD_TOO_LONG, RESET_EMAIL_INVALID } from "./rules.ts";

/** An email address, also as part of a pasted text, in the form in which it is stored. */
export const emailAddress = z
  .string()
  .transform(normaliseEmail)
  .pipe(z.email({ pattern: EMAIL_PATTERN }).max(EMAIL_MAXIMUM));

/** @throws DomainError 'invalid-email' */
export function parseEmail(input: unknown): string {
  const email = emailAddress.safeParse(input);
  if (!email.success) throw new DomainError("invalid-email");
  return email.data;
}

/**
 * A name on one line, without characters that nobody sees: some of them reverse the direction of the text around them.
 */
export function cleanName(name: string): string {
  const visible = cleanText(name).replace(/[\s\p{Cc}]+/gu, " ");
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(visible) ? visible.trim() : "";
}

/** For sign-in and sign-up. The rules for a new password depend on the role and are checked separately. */
export const credentialsSchema = z.object({
  email: z.unknown().transform(parseEmail),
  password: z.string({ error: PASSWORD_MISSING }).min(1, PASSWORD_MISSING),
});

export const newAccountSchema = credentialsSchema.extend({
  /** The email that the shop has asked about, when the person has pressed again. */
  confirmedEmail: z.string().transform(normaliseEmail).optional(),
});

export const requestResetSchema = z.object({
  email: z
    .string({ error: RESET_EMAIL_INVALID })
    .transform(normaliseEmail)
    .pipe(z.string().includes("@", RESET_EMAIL_INVALID).max(EMAIL_MAXIMUM, RESET_EMAIL_INVALID)),
});

export const resetPasswordSchema = z.object({
  token: z.string().default(""),
  newPassword: z.string({ error: PASSWORD_MISSING }),
});

/**
 * Refuses a new password that breaks the rules for its account.
 *
 * @param field the name of the input field, for InvalidInputError
 * @throws DomainError 'weak-password' with `minimum`, 'common-password', 'guessable-password' (the shop's name or the own
 *   address); InvalidInputError when it is too long
 */
export function requireAcceptablePassword(password: string, owner: PasswordOwner, field = "password"): void {
  const problem = findPasswordProblem(password, owner);
  if (problem === undefined) return;
  if (problem.code === "long-password") throw new InvalidInputError({ [field]: [PASSWORD_TOO_LONG] });
  if (problem.code === "weak-password") throw new DomainError("weak-password", { minimum: problem.minimum });
  throw new DomainError(problem.code);
}
