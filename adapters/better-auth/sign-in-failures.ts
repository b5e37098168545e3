import { eq } from "drizzle-orm";
import { DomainError } from "#core/errors.ts";
import type { Database } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { authCode, translateAuthError } from "./auth-errors.ts";

/**
 * Tells an unknown address from a wrong password, which Better Auth reports as one. Callers limit how often this can
 * be asked.
 */
export async function explainSignInFailure(db: Database, email: string, error: unknown): Promise<unknown> {
  const code = authCode(error);
  if (code !== "INVALID_EMAIL_OR_PASSWORD" && code !== "PASSWORD_TOO_LONG") return translateAuthError(error);
  const known = await isKnown(db, email);
  return new DomainError(known ? "wrong-password" : "user-not-found", {}, { cause: error });
}

async function isKnown(db: Database, email: string): Promise<boolean> {
  const found = await db.select({ id: users.id }).from(users).where(eq(users.email, email));
  return found.length > 0;
}
