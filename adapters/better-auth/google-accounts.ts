import { and, eq } from "drizzle-orm";
import type { Authenticator } from "#core/accounts/authenticator.ts";
import { DomainError } from "#core/errors.ts";
import type { Database } from "#db/database.ts";
import { authAccounts, sessions, users, verifications } from "#db/tables/accounts.ts";
import { changed, inSavepoint, isUniqueViolation } from "#db/transaction.ts";
import { isPasswordOf } from "./passwords.ts";

/** The id that Better Auth gives the sign-in with Google. Links with other providers in its place have it too. */
export const GOOGLE = "google";

/** The methods for accounts that sign in with Google. No token of Google is stored: the shop calls none of its services. */
export const googleAccountMethods: Pick<
  Authenticator,
  "findGoogleAccount" | "linkGoogleAccount" | "createGoogleAccount" | "removePassword"
> = {
  async findGoogleAccount(executor, by) {
    const [found] = await executor
      .select({ userId: authAccounts.userId, subject: authAccounts.accountId })
      .from(authAccounts)
      .where(
        and(
          eq(authAccounts.providerId, GOOGLE),
          eq(authAccounts.issuer, by.issuer),
          "subject" in by ? eq(authAccounts.accountId, by.subject) : eq(authAccounts.userId, by.userId),
        ),
      );
    return found ?? null;
  },

  async linkGoogleAccount(executor, { userId, issuer, subject }) {
    await executor.insert(authAccounts).values({ userId, issuer, accountId: subject, providerId: GOOGLE });
  },

  async createGoogleAccount(executor, { email, issuer, subject }) {
    try {
      return await inSavepoint(executor, async (tx) => {
        const [user] = await tx
          .insert(users)
          .values({ email, emailVerified: true, provider: GOOGLE })
          .returning({ id: users.id });
        changed(tx, users);
        if (user === undefined) throw new Error("an inserted account was not returned");
        await tx
          .insert(authAccounts)
          .values({ userId: user.id, issuer, accountId: subject, providerId: GOOGLE });
        return { userId: user.id };
      });
    } catch (error) {
      throw isUniqueViolation(error) ? new DomainError("email-in-use", {}, { cause: error }) : error;
    }
  },

  async removePassword(executor, { userId }) {
    await executor.delete(sessions).where(eq(sessions.userId, userId));
    changed(executor, sessions);
    await executor.delete(verifications).where(eq(verifications.value, userId));
    await executor.delete(authAccounts).where(isPasswordOf(userId));
  },
};

/** Links that were made before they had an issuer get the issuer of the shop's provider. */
export async function completeOldLinks(db: Database, issuer: string): Promise<void> {
  await db
    .update(authAccounts)
    .set({ issuer })
    .where(and(eq(authAccounts.providerId, GOOGLE), eq(authAccounts.issuer, "")));
}
