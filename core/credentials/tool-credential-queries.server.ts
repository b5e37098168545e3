import { and, desc, eq, ne, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { credentials } from "#db/tables/vault.ts";

/**
 * The name of a service for comparing: letters and digits in lower case, and without the variant "Pro" at its end. So
 * "Stealth Writer", "stealthwriter" and "Stealth-Writer Pro" are one service.
 */
function comparable(service: SQLWrapper | string): SQL {
  const letters = sql`lower(regexp_replace(${service}, '[^[:alnum:]]', '', 'g'))`;
  return sql`regexp_replace(${letters}, '(.)pro$', '\\1')`;
}

/** The newest active credential of a service, sealed; null without one. */
export async function findActiveCredential(executor: Executor, service: string) {
  const wanted = comparable(sql`${service}::text`);
  const [credential] = await executor
    .select()
    .from(credentials)
    .where(
      and(
        eq(credentials.isActive, true),
        eq(comparable(credentials.service), wanted),
        // A name without letters and digits is none.
        ne(wanted, ""),
      ),
    )
    .orderBy(desc(credentials.createdAt), desc(credentials.id))
    .limit(1);
  return credential ?? null;
}
