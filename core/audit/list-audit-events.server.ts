import { and, eq, inArray, sql } from "drizzle-orm";
import { z } from "zod";
import type { Database } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { couponCodes, tools } from "#db/tables/catalog.ts";
import { importedDocuments } from "#db/tables/imports.ts";
import { auditEvents, mailMessages } from "#db/tables/operations.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";
import { type AuthorisedContext, requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { choice, type List, type ListInput, listFields, makeList, type PageOfIds } from "../lists/paging.ts";
import { distinctValues, matches, selectListPage } from "../lists/select-page.server.ts";

const AUDIT_ACTORS = ["all", "admin", "user", "visitor", "system"] as const;

const inputSchema = z.object({ ...listFields(["createdAt"]), actor: choice(AUDIT_ACTORS) });

type Input = z.output<typeof inputSchema>;

export interface ListedAuditEvent {
  id: string;
  actorKind: "visitor" | "user" | "admin" | "system";
  actorId: string | null;
  /** The address that the account has now; null without an account. */
  actorEmail: string | null;
  /** Such as 'purchase.cancelled'. */
  action: string;
  subjectType: string;
  subjectId: string | null;
  /** What the subject is called now, such as a tool's name, or was called when it was deleted; null without a name. */
  subjectName: string | null;
  /** Contains no password, code or token. */
  details: Record<string, unknown>;
  createdAt: Date;
}

/**
 * Who did what to which subject, newest first unless the input says otherwise. A bulk action is one of them; the events of its rows are
 * listed by a search only.
 *
 * @param input `q`: a part of the action, of the address or name of the account that acted or that it was about, of the name of a
 *   tool, a coupon or a credential, or a whole subject id; `actor`: all or a kind of actor; `direction`; `page`
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function listAuditEvents(ctx: Context, input: ListInput): Promise<List<ListedAuditEvent>> {
  requireAdmin(ctx, "reads");
  const page = await selectEventIds(ctx, inputSchema.parse(input));
  const rows = await ctx.db
    .select({
      id: auditEvents.id,
      actorKind: auditEvents.actorKind,
      actorId: auditEvents.actorId,
      actorEmail: users.email,
      action: auditEvents.action,
      subjectType: auditEvents.subjectType,
      subjectId: auditEvents.subjectId,
      details: auditEvents.details,
      createdAt: auditEvents.createdAt,
    })
    .from(auditEvents)
    .leftJoin(users, eq(users.id, auditEvents.actorId))
    .where(inArray(auditEvents.id, page.ids));
  const names = await findSubjectNames(ctx.db, rows);
  const named = rows.map((row) => ({ ...row, subjectName: names.get(row.subjectId ?? "") ?? null }));
  return makeList(page, named);
}

async function selectEventIds(
  ctx: AuthorisedContext,
  { sort: _, actor, ...parsed }: Input,
): Promise<PageOfIds & { isPartial: boolean }> {
  const isOfActor = actor === "all" ? sql`true` : sql`${auditEvents.actorKind} = ${actor}`;
  // The bulk action is listed itself. A search finds what happened to one subject.
  const listed =
    parsed.q === "" ? sql`${isOfActor} and not ${auditEvents.details} ? 'bulkActionId'` : isOfActor;
  const found = parsed.q === "" ? NOTHING_FOUND : await findNamed(ctx.db, parsed.q);
  const page = await selectListPage(ctx.db, {
    ...parsed,
    from: sql`${auditEvents}`,
    id: sql`${auditEvents.id}`,
    listed,
    keys: [{ column: sql`${auditEvents.createdAt}` }],
    search: () => [
      sql`${auditEvents.subjectId} = ${parsed.q}`,
      sql`${auditEvents.actorId} = any(${sql.param(found.actorIds)})`,
      // The column is text.
      sql`${auditEvents.subjectId} = any(${sql.param([...found.actorIds, ...found.subjectIds])}::text[])`,
      sql`${auditEvents.action} = any(${sql.param(found.actions)})`,
    ],
  });
  return { ...page, isPartial: found.isPartial };
}

/** A search that matches more accounts, or more of one kind of subject, finds the events of these only. */
const MAX_FOUND = 1_000;

const ids = z.array(z.string());
const foundSchema = z.object({ actions: ids, actorIds: ids, tools: ids, coupons: ids, credentials: ids });

interface Found {
  actions: string[];
  actorIds: string[];
  subjectIds: string[];
  isPartial: boolean;
}

const NOTHING_FOUND: Found = { actions: [], actorIds: [], subjectIds: [], isPartial: false };

/** The actions, the accounts by address or name, and the other subjects by what they are called. */
async function findNamed(db: Database, q: string): Promise<Found> {
  const known = distinctValues(sql`${auditEvents}`, sql`action`);
  const isFound = matches(q);
  const { rows } = await db.execute(sql`
    select array(select value from ${known} known where ${isFound(sql`value`)}) as actions,
      array(select ${users.id} from ${users}
        where ${isFound(users.email)} or ${isFound(users.name, "name")} limit ${MAX_FOUND + 1}) as "actorIds",
      array(select ${tools.id} from ${tools} where ${isFound(tools.name, "name")} limit ${MAX_FOUND + 1}) as tools,
      array(select ${couponCodes.id} from ${couponCodes} where ${isFound(couponCodes.code)}
        limit ${MAX_FOUND + 1}) as coupons,
      array(select ${credentials.id} from ${credentials}
        where ${isFound(credentials.service, "name")} or ${isFound(credentials.email)}
        limit ${MAX_FOUND + 1}) as credentials`);
  const { actions, actorIds, ...subjects } = foundSchema.parse(rows[0]);
  const kinds = Object.values(subjects);
  return {
    actions,
    actorIds: actorIds.slice(0, MAX_FOUND),
    subjectIds: kinds.flatMap((found) => found.slice(0, MAX_FOUND)),
    isPartial: [actorIds, ...kinds].some(({ length }) => length > MAX_FOUND),
  };
}

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
  "imported-document": async (db, ids) => {
    const { id, collection, documentId } = importedDocuments;
    const rows = await db
      .select({ id, collection, documentId })
      .from(importedDocuments)
      .where(inArray(id, ids));
    return rows.map((row) => ({ id: row.id, name: `${row.documentId} (${row.collection})` }));
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

interface Subject {
  subjectType: string;
  subjectId: string | null;
}

/**
 * The names of subjects by their id, such as a tool's name or an account's address, as they are now; of deleted
 * ones, as they were. Subjects that are not known have none.
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
