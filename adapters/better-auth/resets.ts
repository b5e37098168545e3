import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { type Authenticator, RESET_LINK_MINUTES } from "#core/accounts/authenticator.ts";
import { DomainError } from "#core/errors.ts";
import { MINUTE } from "#core/time.ts";
import type { Database } from "#db/database.ts";
import { sessions, users, verifications } from "#db/tables/accounts.ts";
import { changed } from "#db/transaction.ts";
import { type Auth, translateAuthError } from "./auth.ts";

/** The identifier by which Better Auth's reset finds a token; stored as a hash. */
const identifierOf = (token: string) => `reset-password:${token}`;

/**
 * The methods for reset links. Their tokens are stored as hashes. Better Auth deletes a token in the transaction that
 * sets the password.
 */
export function resetMethods(
  auth: Auth,
  db: Database,
): Pick<Authenticator, "makeResetToken" | "findResetToken" | "resetPassword"> {
  async function findResetToken(token: string): Promise<{ userId: string } | null> {
    const context = await auth.$context;
    const found = await context.internalAdapter.findVerificationValue(identifierOf(token));
    return found && found.expiresAt > new Date() ? { userId: found.value } : null;
  }

  return {
    findResetToken,

    async makeResetToken(email) {
      const [account] = await db.select({ userId: users.id }).from(users).where(eq(users.email, email));
      if (account === undefined) return null;
      const token = randomBytes(24).toString("base64url");
      const context = await auth.$context;
      await context.internalAdapter.createVerificationValue({
        identifier: identifierOf(token),
        value: account.userId,
        expiresAt: new Date(Date.now() + RESET_LINK_MINUTES * MINUTE),
      });
      return token;
    },

    async resetPassword({ token, newPassword }) {
      const owner = await findResetToken(token);
      if (owner === null) throw new DomainError("invalid-reset-link");
      try {
        await auth.api.resetPassword({ body: { token, newPassword } });
        changed(db, sessions);
      } catch (error) {
        throw translateAuthError(error);
      }
      // Older links of the same account must not undo the new password.
      await db.delete(verifications).where(eq(verifications.value, owner.userId));
      return owner;
    },
  };
}
