import { and, eq, ne, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { credentials } from "#db/tables/vault.ts";
import type { CredentialChoice } from "./offers-credential.ts";

/** The name of a service for comparing: its letters and digits in lower case. */
const comparable = (service: SQLWrapper): SQL =>
  sql`lower(regexp_replace(${service}, '[^[:alnum:]]', '', 'g'))`;

/**
 * The active credential that a tool's page offers, sealed: the tool's own, else the one of the service's exact name, else
 * the only one of whose name and the service's one is a part of the other. Null without any, and when several fit equally.
 */
export async function findToolCredential(
  executor: Executor,
  { credentialId, credentialService }: CredentialChoice,
): Promise<{ credential: typeof credentials.$inferSelect | null; isAmbiguous: boolean }> {
  const wanted = comparable(sql`${credentialService ?? ""}::text`);
  const stored = comparable(credentials.service);
  const isOwn = sql`${credentials.id} = ${credentialId}::uuid`;
  const isExact = eq(stored, wanted);
  // A name without letters and digits is none.
  const isPart = sql`(strpos(${stored}, ${wanted}) > 0 or strpos(${wanted}, ${stored}) > 0)`;
  const isNamed = and(ne(wanted, sql`''`), ne(stored, sql`''`), isPart);
  const rank = sql<number>`case when ${isOwn} then 0 when ${isExact} then 1 else 2 end`;
  const [first, second] = await executor
    .select({ credential: credentials, rank })
    .from(credentials)
    .where(and(eq(credentials.isActive, true), or(isOwn, isNamed)))
    .orderBy(rank)
    .limit(2);
  const isAmbiguous = first !== undefined && first.rank === second?.rank;
  return { credential: isAmbiguous ? null : (first?.credential ?? null), isAmbiguous };
}
