import { APIError } from "better-auth";
import { DomainError, type ErrorCode } from "#core/errors.ts";
import { DISABLED_CODE } from "./auth.ts";

const CODES: Readonly<Record<string, ErrorCode>> = {
  [DISABLED_CODE]: "user-disabled",
  INVALID_EMAIL: "invalid-email",
  INVALID_TOKEN: "invalid-reset-link",
  PASSWORD_TOO_SHORT: "weak-password",
  PASSWORD_TOO_LONG: "weak-password",
  USER_NOT_FOUND: "user-not-found",
};

/** The code Better Auth gives an error of its own; undefined for any other error. */
export function authCode(error: unknown): string | undefined {
  if (!(error instanceof APIError)) return undefined;
  const code: unknown = error.body?.code;
  return typeof code === "string" ? code : undefined;
}

/** The refusal an error of Better Auth stands for; any other error as it is. */
export function translateAuthError(error: unknown): unknown {
  const code = CODES[authCode(error) ?? ""];
  return code === undefined ? error : new DomainError(code, {}, { cause: error });
}
