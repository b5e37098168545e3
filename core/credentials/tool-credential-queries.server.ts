import { sql } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { credentials } from "#db/tables/vault.ts";
import { matchCredential } from "../catalog/credential-match.server.ts";
import type { CredentialChoice } from "./offers-credential.ts";

/**
 * The active credential that a tool's page offers, sealed: the tool's own when it has one, else the one of the service's
 * exact name, else the only one of whose name and the service's one is a part of the other. Null without any, and when several
 * fit equally.
 */
export async function findToolCredential(
  executor: Executor,
  { credentialId, credentialService }: CredentialChoice,
): Promise<{ credential: typeof credentials.$inferSelect | null; isAmbiguous: boolean }> {
  const { fits, rank } = matchCredential({
    credentialId: sql`${credentialId}::uuid`,
    credentialService: sql`${credentialService}::text`,
  });
  const [first, second] = await executor
    .select({ credential: credentials, rank })
    .from(credentials)
    .where(fits)
    .orderBy(rank)
    .limit(2);
  const isAmbiguous = first !== undefined && first.rank === second?.rank;
  return { credential: isAmbiguous ? null : (first?.credential ?? null), isAmbiguous };
}
