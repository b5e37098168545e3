import { inArray } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Authenticator, ImportedAccount } from "#core/accounts/authenticator.ts";
import { authAccounts } from "#db/tables/accounts.ts";
import { GOOGLE_ISSUER } from "../openid/openid-provider.ts";
import { GOOGLE } from "./google-accounts.ts";
import { importedPasswordHash } from "./password-hash.ts";
import { CREDENTIAL } from "./passwords.ts";

type Methods = Pick<Authenticator, "importedPasswordHash" | "createImportedAccounts">;

/** The methods for the accounts of an imported shop. */
export const importedAccountMethods: Methods = {
  importedPasswordHash,

  async createImportedAccounts(executor, accounts) {
    const wanted = accounts.flatMap(rowsOf);
    if (wanted.length === 0) return { skipped: [] };
    const { userId, providerId, issuer, accountId, id } = authAccounts;
    const owners = wanted.map((row) => row.userId);
    const existing = await executor
      .select({ userId, providerId, issuer })
      .from(authAccounts)
      .where(inArray(userId, owners));
    // No index keeps a second person at Google off an account.
    const taken = new Set(existing.map(placeOf));
    const free = wanted.filter((row) => !taken.has(placeOf(row)) && taken.add(placeOf(row)));
    const target = [providerId, issuer, accountId];
    const added =
      free.length > 0
        ? await executor.insert(authAccounts).values(free).onConflictDoNothing({ target }).returning({ id })
        : [];
    const addedIds = new Set(added.map((row) => row.id));
    const skipped = wanted.filter((row) => !addedIds.has(row.id));
    return {
      skipped: skipped.map((row) => ({
        userId: row.userId,
        provider: row.providerId === GOOGLE ? "google" : "password",
      })),
    };
  },
};

/** An account has one row for each. */
const placeOf = (row: { userId: string; providerId: string; issuer: string }) =>
  `${row.userId} ${row.providerId} ${row.issuer}`;

function rowsOf({ userId, passwordHash, googleSubject }: ImportedAccount) {
  const credential = { userId, providerId: CREDENTIAL, issuer: "", accountId: userId };
  const google = { userId, providerId: GOOGLE, issuer: GOOGLE_ISSUER };
  return [
    ...(passwordHash === null ? [] : [{ id: uuidv7(), ...credential, password: passwordHash }]),
    ...(googleSubject === null ? [] : [{ id: uuidv7(), ...google, accountId: googleSubject }]),
  ];
}
