import { APIError } from "better-auth";
import { eq } from "drizzle-orm";
import { DomainError, type ErrorCode } from "#core/errors.ts";
import type { Database } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { DISABLED_CODE } from "./auth.ts";

const CODES: Readonly<Record<string, ErrorCode>> = {
  [DISABLED_CODE]: "user-disabled",
  INVALID_EMAIL: "invalid-email",
  INVALID_TOKEN: "invalid-reset-link",
  PASSWORD_TOO_SHORT: "weak-password",
  PASSWORD_TOO_LONG: "weak-password",
  USER_NOT_FOUND: "user-not-found",
};

/** The code of an error of Better Auth; undefined for any other error. */
function authCode(error: unknown): string | undefined {
  if (!(error instanceof APIError)) return undefined;
  const code: unknown = error.body?.code;
  return typeof code === "string" ? code : undefined;
}

/** Translates an error of Better Auth into a refusal; returns any other error as it is. */
export function translateAuthError(error: unknown): unknown {
  const code = CODES[authCode(error) ?? ""];
  return code === undefined ? error : new DomainError(code, {}, { cause: error });
}

/**
 * The refusal for a failed sign-in. Better Auth does not distinguish an unknown address from a wrong password; this
 * function does. Callers limit how often it can be tried.
 */
export async function explainSignInFailure(db: Database, email: string, error: unknown): Promise<unknown> {
  const code = authCode(error);
  if (code !== "INVALID_EMAIL_OR_PASSWORD" && code !== "PASSWORD_TOO_LONG") return translateAuthError(error);
  const known = await isKnownEmail(db, email);
  return new DomainError(known ? "wrong-password" : "user-not-found", {}, { cause: error });
}

async function isKnownEmail(db: Database, email: string): Promise<boolean> {
  const found = await db.select({ id: users.id }).from(users).where(eq(users.email, email));
  return found.length > 0;
}
