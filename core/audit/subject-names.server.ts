import { and, eq, inArray } from "drizzle-orm";
import { z } from "zod";
import type { Database } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { couponCodes, tools } from "#db/tables/catalog.ts";
import { auditEvents, mailMessages } from "#db/tables/operations.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";

type Named = { id: string; name: string };

/**
 * How to find the names of subjects, by their type. Most deleted subjects keep their row. Credentials and access codes do
 * not: the audit event of their deletion has what they were called.
 */
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
    const deleted = await selectDeleted(db, "credential", ids, credentialSchema);
    return [...rows, ...deleted].map((row) => ({ id: row.id, name: `${row.service} (${row.email})` }));
  },
  "access-code": async (db, ids) => {
    const { id, toolId, serverName } = accessCodes;
    const rows = await db.select({ id, toolId, serverName }).from(accessCodes).where(inArray(id, ids));
    const codes = [...rows, ...(await selectDeleted(db, "access-code", ids, accessCodeSchema))];
    const toolIds = [...new Set(codes.map((code) => code.toolId))];
    const toolNames = await db
      .select({ id: tools.id, name: tools.name })
      .from(tools)
      .where(inArray(tools.id, toolIds));
    const nameOf = new Map(toolNames.map((tool) => [tool.id, tool.name]));
    return codes.map((code) => {
      const tool = nameOf.get(code.toolId);
      return { id: code.id, name: tool === undefined ? code.serverName : `${code.serverName} of ${tool}` };
    });
  },
  mail: async (db, ids) => {
    const { id, subject, recipient } = mailMessages;
    const rows = await db.select({ id, subject, recipient }).from(mailMessages).where(inArray(id, ids));
    return rows.map((row) => ({ id: row.id, name: `“${row.subject}” to ${row.recipient}` }));
  },
  purchase: async (db, ids) => {
    const { id, toolName, userEmail } = userPurchases;
    const rows = await db.select({ id, toolName, userEmail }).from(userPurchases).where(inArray(id, ids));
    return rows.map((row) => ({ id: row.id, name: `${row.toolName} for ${row.userEmail}` }));
  },
};

const credentialSchema = z.object({ service: z.string(), email: z.string() });
const accessCodeSchema = z.object({ toolId: z.uuid(), serverName: z.string() });

/** What deleted subjects were before, as the audit events of their deletion have it. */
async function selectDeleted<Fields extends object>(
  db: Database,
  subjectType: "credential" | "access-code",
  ids: string[],
  schema: z.ZodType<Fields>,
): Promise<Array<Fields & { id: string }>> {
  const { subjectId, action, details } = auditEvents;
  const rows = await db
    .select({ id: subjectId, details })
    .from(auditEvents)
    .where(and(inArray(subjectId, ids), eq(action, `${subjectType}.deleted`)));
  return rows.flatMap(({ id, details: { before } }) => {
    const fields = schema.safeParse(before);
    return id !== null && fields.success ? [{ ...fields.data, id }] : [];
  });
}

export interface Subject {
  subjectType: string;
  subjectId: string | null;
}

/**
 * The names of subjects by their id, such as a tool's name or an account's address, as they are now; of deleted
 * ones, as they were. Subjects that are not known have none. The caller authorises.
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
