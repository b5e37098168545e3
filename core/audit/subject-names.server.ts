import { eq, inArray } from "drizzle-orm";
import { z } from "zod";
import type { Database } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { couponCodes, tools } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";

type Named = { id: string; name: string };

/** How to find the names of subjects, by their type. The rows of deleted subjects stay, so most names are found. */
const FINDERS: Readonly<Record<string, (db: Database, ids: string[]) => Promise<Named[]>>> = {
  user: (db, ids) => db.select({ id: users.id, name: users.email }).from(users).where(inArray(users.id, ids)),
  tool: (db, ids) => db.select({ id: tools.id, name: tools.name }).from(tools).where(inArray(tools.id, ids)),
  coupon: (db, ids) =>
    db
      .select({ id: couponCodes.id, name: couponCodes.code })
      .from(couponCodes)
      .where(inArray(couponCodes.id, ids)),
  credential: async (db, ids) => {
    const { id, service, email } = credentials;
    const rows = await db.select({ id, service, email }).from(credentials).where(inArray(id, ids));
    return rows.map((row) => ({ id: row.id, name: `${row.service} (${row.email})` }));
  },
  "access-code": async (db, ids) => {
    const rows = await db
      .select({ id: accessCodes.id, server: accessCodes.serverName, tool: tools.name })
      .from(accessCodes)
      .innerJoin(tools, eq(tools.id, accessCodes.toolId))
      .where(inArray(accessCodes.id, ids));
    return rows.map(({ id, server, tool }) => ({ id, name: `${server} of ${tool}` }));
  },
  purchase: async (db, ids) => {
    const { id, toolName, userEmail } = userPurchases;
    const rows = await db.select({ id, toolName, userEmail }).from(userPurchases).where(inArray(id, ids));
    return rows.map((row) => ({ id: row.id, name: `${row.toolName} for ${row.userEmail}` }));
  },
};

export interface Subject {
  subjectType: string;
  subjectId: string | null;
}

/**
 * The names of subjects by their id, such as a tool's name or an account's address, as they are now. Subjects that are
 * gone have none. The caller authorises.
 */
export async function findSubjectNames(
  db: Database,
  subjects: readonly Subject[],
): Promise<ReadonlyMap<string, string>> {
  const idsByType = new Map<string, Set<string>>();
  for (const { subjectType, subjectId } of subjects) {
    if (!z.uuid().safeParse(subjectId).success || subjectId === null) continue;
    idsByType.set(subjectType, (idsByType.get(subjectType) ?? new Set()).add(subjectId));
  }
  const found = await Promise.all([...idsByType].map(([type, ids]) => FINDERS[type]?.(db, [...ids]) ?? []));
  return new Map(found.flat().map(({ id, name }) => [id, name]));
}
