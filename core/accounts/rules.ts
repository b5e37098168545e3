import { COMMON_PASSWORDS } from "./common-passwords.data.ts";

export const PASSWORD_MINIMUM = 6;
export const ADMIN_PASSWORD_MINIMUM = 12;
/** Longer ones would only make hashing slow. */
export const PASSWORD_MAXIMUM = 128;

export type PasswordProblem =
  | { code: "weak-password"; minimum: number }
  | { code: "common-password" }
  | { code: "long-password"; maximum: number };

/** What is wrong with a new password for an account of this role; undefined when it may be set. */
export function newPasswordProblem(password: string, role: "user" | "admin"): PasswordProblem | undefined {
  const minimum = role === "admin" ? ADMIN_PASSWORD_MINIMUM : PASSWORD_MINIMUM;
  if (password.length < minimum) return { code: "weak-password", minimum };
  if (password.length > PASSWORD_MAXIMUM) return { code: "long-password", maximum: PASSWORD_MAXIMUM };
  if (COMMON_PASSWORDS.has(password.toLowerCase())) return { code: "common-password" };
  return undefined;
}

/** Addresses are compared and stored in this form. */
export function normaliseEmail(email: string): string {
  return email.trim().toLowerCase();
}
