import { eq, inArray, sql } from "drizzle-orm";
import { z } from "zod";
import type { Database } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { choice, inOrderOf, type List, type ListInput, listFields, PAGE_SIZE } from "../paging.ts";
import { searchPattern } from "../search-pattern.ts";
import { distinctValues, type PageOfIds, selectListPage } from "../select-page.server.ts";
import { findSubjectNames } from "./subject-names.server.ts";

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
 * Who did what to which subject, newest first unless the input says otherwise.
 *
 * @param input `q`: a part of the action, a part of the e-mail address of the account that acted or that it was about, or
 *   a whole subject id; `actor`: all or a kind of actor; `direction`; `page`
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function listAuditEvents(ctx: Context, input: ListInput): Promise<List<ListedAuditEvent>> {
  requireAdmin(ctx, "reads");
  const { ids, ...facts } = await selectEventIds(ctx, inputSchema.parse(input));
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
    .where(inArray(auditEvents.id, ids));
  const names = await findSubjectNames(ctx.db, rows);
  const named = rows.map((row) => ({ ...row, subjectName: names.get(row.subjectId ?? "") ?? null }));
  return { rows: inOrderOf(ids, named), pageSize: PAGE_SIZE, ...facts };
}

async function selectEventIds(ctx: Context, { sort: _, actor, ...parsed }: Input): Promise<PageOfIds> {
  const listed = actor === "all" ? sql`true` : sql`${auditEvents.actorKind} = ${actor}`;
  const found = parsed.q === "" ? NO_MATCHES : await findActorsAndActions(ctx.db, parsed.q);
  return selectListPage(ctx.db, {
    ...parsed,
    from: sql`${auditEvents}`,
    id: sql`${auditEvents.id}`,
    listed,
    keys: [{ column: sql`${auditEvents.createdAt}` }],
    search: () => [
      sql`${auditEvents.subjectId} = ${parsed.q}`,
      sql`${auditEvents.actorId} = any(${sql.param(found.actorIds)})`,
      // The column is text.
      sql`${auditEvents.subjectId} = any(${sql.param(found.actorIds)}::text[])`,
      sql`${auditEvents.action} = any(${sql.param(found.actions)})`,
    ],
  });
}

const matchesSchema = z.object({ actorIds: z.array(z.string()), actions: z.array(z.string()) });
const NO_MATCHES: z.output<typeof matchesSchema> = { actorIds: [], actions: [] };

/** A search that matches more accounts finds the events of these only. */
const MAX_ACTORS = 1_000;

async function findActorsAndActions(db: Database, q: string): Promise<z.output<typeof matchesSchema>> {
  const pattern = searchPattern(q);
  if (pattern === null) return NO_MATCHES;
  const actions = distinctValues(sql`${auditEvents}`, sql`action`);
  const { rows } = await db.execute(sql`
    select array(select value from ${actions} actions where value ilike ${pattern}) as actions,
      array(select ${users.id} from ${users} where ${users.email} ilike ${pattern} limit ${MAX_ACTORS}) as "actorIds"`);
  return matchesSchema.parse(rows[0]);
}
