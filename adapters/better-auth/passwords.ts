import { and, eq, type SQL } from "drizzle-orm";
import type { Authenticator } from "#core/accounts/authenticator.ts";
import { DomainError } from "#core/errors.ts";
import type { Database } from "#db/database.ts";
import { authAccounts, sessions, users, verifications } from "#db/tables/accounts.ts";
import { changed, inSavepoint, isUniqueViolation } from "#db/transaction.ts";
import { type Auth, TYPED_PASSWORD_MAXIMUM } from "./auth.ts";

/** The id that Better Auth gives the sign-in with a password. */
export const CREDENTIAL = "credential";

/** The methods for passwords, which need no browser session. */
export function passwordMethods(
  auth: Auth,
  db: Database,
): Pick<
  Authenticator,
  "checkPassword" | "hasPassword" | "hashPassword" | "createAccount" | "setPassword" | "replacePassword"
> {
  return {
    checkPassword: async (input) => requireRightPassword(auth, await findPassword(db, input), input.password),

    async hasPassword(executor, { userId }) {
      return (await executor.$count(authAccounts, isPasswordOf(userId))) > 0;
    },

    async hashPassword(password) {
      return (await auth.$context).password.hash(password);
    },

    async createAccount(executor, { email, passwordHash }) {
      try {
        return await inSavepoint(executor, async (tx) => {
          const [user] = await tx.insert(users).values({ email }).returning({ id: users.id });
          changed(tx, users);
          if (user === undefined) throw new Error("an inserted account was not returned");
          await tx
            .insert(authAccounts)
            .values({ userId: user.id, accountId: user.id, providerId: CREDENTIAL, password: passwordHash });
          return { userId: user.id };
        });
      } catch (error) {
        throw isUniqueViolation(error) ? new DomainError("email-in-use", {}, { cause: error }) : error;
      }
    },

    async setPassword(executor, { userId, passwordHash: password }) {
      await executor.delete(sessions).where(eq(sessions.userId, userId));
      changed(executor, sessions);
      await executor.delete(verifications).where(eq(verifications.value, userId));
      await executor
        .insert(authAccounts)
        .values({ userId, accountId: userId, providerId: CREDENTIAL, password })
        .onConflictDoUpdate({
          target: [authAccounts.providerId, authAccounts.issuer, authAccounts.accountId],
          set: { password },
        });
    },

    async replacePassword(executor, { userId, checkedHash, passwordHash: password }) {
      const replaced = await executor
        .update(authAccounts)
        .set({ password })
        .where(and(isPasswordOf(userId), eq(authAccounts.password, checkedHash)))
        .returning({ id: authAccounts.id });
      if (replaced.length === 0) throw new DomainError("wrong-password");
      await executor.delete(verifications).where(eq(verifications.value, userId));
    },
  };
}

/** An account, and the stored hash of its password; null: it has no password. */
interface StoredPassword {
  userId: string;
  hash: string | null;
}

/**
 * Checks the password of a sign-in. An unknown email and an account without a password cost a hash too, so that the time of the
 * answer does not tell them from a wrong password.
 *
 * @throws DomainError user-not-found, wrong-password, sign-in-busy
 */
export async function checkPasswordOfSignIn(
  auth: Auth,
  db: Database,
  { email, password }: { email: string; password: string },
): Promise<{ userId: string; passwordHash: string }> {
  const stored = await findPassword(db, { email });
  const hash = stored?.hash ?? null;
  if (hash === null && isChecked(password)) await (await auth.$context).password.hash(password);
  return requireRightPassword(auth, stored, password);
}

async function requireRightPassword(auth: Auth, stored: StoredPassword | undefined, password: string) {
  if (stored === undefined) throw new DomainError("user-not-found");
  const { userId, hash } = stored;
  if (hash === null || !isChecked(password) || !(await isRightPassword(auth, { hash, password })))
    throw new DomainError("wrong-password");
  return { userId, passwordHash: hash };
}

/** A longer text is no password of any account, and costs no hash. */
const isChecked = (password: string) => password.length <= TYPED_PASSWORD_MAXIMUM;

export async function isRightPassword(
  auth: Auth,
  attempt: { hash: string; password: string },
): Promise<boolean> {
  return (await auth.$context).password.verify(attempt);
}

/** @returns undefined without an account */
export async function findPassword(
  db: Database,
  by: { email: string } | { userId: string },
): Promise<StoredPassword | undefined> {
  const [found] = await db
    .select({ userId: users.id, hash: authAccounts.password })
    .from(users)
    .leftJoin(authAccounts, and(eq(authAccounts.userId, users.id), eq(authAccounts.providerId, CREDENTIAL)))
    .where("email" in by ? eq(users.email, by.email) : eq(users.id, by.userId));
  return found;
}

/** The row that holds the password of an account. */
export function isPasswordOf(userId: string): SQL | undefined {
  return and(eq(authAccounts.userId, userId), eq(authAccounts.providerId, CREDENTIAL));
}
