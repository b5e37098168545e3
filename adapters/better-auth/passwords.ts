import { and, eq, sql } from "drizzle-orm";
import type { Authenticator } from "#core/accounts/authenticator.ts";
import { DomainError } from "#core/errors.ts";
import type { Database } from "#db/database.ts";
import { authAccounts, sessions, users } from "#db/tables/accounts.ts";
import { inSavepoint, sqlState } from "#db/transaction.ts";
import type { Auth } from "./auth.ts";

/** Better Auth's name for the way to sign in that has a password. */
export const CREDENTIAL = "credential";

const UNIQUE_VIOLATION = "23505";

/** What is done with passwords outside any browser session. */
export function passwordMethods(
  auth: Auth,
  db: Database,
): Pick<Authenticator, "checkPassword" | "createAccount" | "setPassword"> {
  const hashOf = async (password: string) => (await auth.$context).password.hash(password);
  return {
    async checkPassword({ email, password }) {
      const [found] = await db
        .select({ userId: users.id, hash: authAccounts.password })
        .from(users)
        .leftJoin(
          authAccounts,
          and(eq(authAccounts.userId, users.id), eq(authAccounts.providerId, CREDENTIAL)),
        )
        .where(eq(sql`lower(${users.email})`, email.toLowerCase()));
      if (found === undefined) throw new DomainError("user-not-found");
      const context = await auth.$context;
      const right = found.hash !== null && (await context.password.verify({ hash: found.hash, password }));
      if (!right) throw new DomainError("wrong-password");
      return { userId: found.userId };
    },

    async createAccount(executor, { email, password }) {
      const hash = await hashOf(password);
      try {
        return await inSavepoint(executor, async (tx) => {
          const [user] = await tx.insert(users).values({ email }).returning({ id: users.id });
          if (user === undefined) throw new Error("an inserted account came back empty");
          await tx
            .insert(authAccounts)
            .values({ userId: user.id, accountId: user.id, providerId: CREDENTIAL, password: hash });
          return { userId: user.id };
        });
      } catch (error) {
        throw sqlState(error) === UNIQUE_VIOLATION
          ? new DomainError("email-in-use", {}, { cause: error })
          : error;
      }
    },

    async setPassword(executor, { userId, newPassword }) {
      const password = await hashOf(newPassword);
      await executor.delete(sessions).where(eq(sessions.userId, userId));
      await executor
        .insert(authAccounts)
        .values({ userId, accountId: userId, providerId: CREDENTIAL, password })
        .onConflictDoUpdate({ target: [authAccounts.providerId, authAccounts.accountId], set: { password } });
    },
  };
}
