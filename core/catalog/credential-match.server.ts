import { and, eq, isNull, ne, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { credentials } from "#db/tables/vault.ts";

/** The name of a service for comparing: its letters and digits in lower case. */
const comparable = (service: SQLWrapper): SQL =>
  sql`lower(regexp_replace(${service}, '[^[:alnum:]]', '', 'g'))`;

/**
 * Which rows of `credentials` fit what a tool says about its credential, and how well. A tool with a credential of its own
 * gets that one or none, because another service's sign-in would open another account. Without one, the service's exact name
 * fits best, then a name that is a part of the service's, or contains it. The best fit counts when it is the only one of its
 * rank.
 */
export function matchCredential(choice: { credentialId: SQLWrapper; credentialService: SQLWrapper }): {
  fits: SQL;
  rank: SQL<number>;
} {
  const wanted = comparable(sql`coalesce(${choice.credentialService}, '')`);
  const stored = comparable(credentials.service);
  const isOwn = sql`${credentials.id} = ${choice.credentialId}`;
  const isPart = sql`(strpos(${stored}, ${wanted}) > 0 or strpos(${wanted}, ${stored}) > 0)`;
  // A name without letters and digits is none.
  const isNamed = and(isNull(choice.credentialId), ne(wanted, sql`''`), ne(stored, sql`''`), isPart);
  return {
    fits: sql`(${and(eq(credentials.isActive, true), or(isOwn, isNamed))})`,
    rank: sql`case when ${eq(stored, wanted)} then 1 else 2 end`,
  };
}
