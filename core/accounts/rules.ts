import { COMMON_PASSWORDS } from "./common-passwords.data.ts";
import { ADMIN_PASSWORD_MINIMUM, PASSWORD_MAXIMUM, PASSWORD_MINIMUM } from "./form-rules.ts";

export type PasswordProblem =
  | { code: "weak-password"; minimum: number }
  | { code: "common-password" }
  | { code: "long-password"; maximum: number };

/** The problem of a new password for an account of this role; undefined when it may be set. */
export function findPasswordProblem(password: string, role: "user" | "admin"): PasswordProblem | undefined {
  const minimum = role === "admin" ? ADMIN_PASSWORD_MINIMUM : PASSWORD_MINIMUM;
  if (password.length < minimum) return { code: "weak-password", minimum };
  if (password.length > PASSWORD_MAXIMUM) return { code: "long-password", maximum: PASSWORD_MAXIMUM };
  if (COMMON_PASSWORDS.has(password.toLowerCase())) return { code: "common-password" };
  return undefined;
}
