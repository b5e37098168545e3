import { inArray, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { users } from "#db/tables/accounts.ts";
import { mailMessages } from "#db/tables/operations.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { choice, inOrderOf, type List, type ListInput, listFields, PAGE_SIZE } from "../paging.ts";
import { searchPattern } from "../search-pattern.ts";
import { type PageOfIds, selectListPage } from "../select-page.server.ts";
import { KINDS_WITH_SECRET_LINK } from "./mail-templates.ts";

const MAIL_STATUSES = ["all", "queued", "sent", "failed"] as const;

const inputSchema = z.object({ ...listFields(["createdAt"]), status: choice(MAIL_STATUSES) });

export interface ListedMail {
  id: string;
  recipient: string;
  subject: string;
  status: "queued" | "sent" | "failed";
  /** How often the mail server has accepted or refused it. */
  tries: number;
  /** Why the last try failed; null: none has. */
  lastError: string | null;
  /** When a queued mail is tried next. */
  nextTryAt: Date;
  sentAt: Date | null;
  createdAt: Date;
  /** Whether `sendMailAgain` accepts it. */
  canBeSentAgain: boolean;
}

/** The mails that may be sent again: those that failed, unless their link has expired meanwhile. */
export function canBeSentAgain({ status, kind }: { status: string; kind: string }): boolean {
  return status === "failed" && !KINDS_WITH_SECRET_LINK.has(kind);
}

/**
 * The mails of the outbox without their texts, newest first unless the input says otherwise.
 *
 * @param input `q`: a part of the recipient's e-mail address; `status`: all or one of them; `direction`; `page`
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function listMail(ctx: Context, input: ListInput): Promise<List<ListedMail>> {
  requireAdmin(ctx, "reads");
  const { ids, ...facts } = await selectMailIds(ctx, inputSchema.parse(input));
  const { id, recipient, kind, subject, status, tries, lastError, nextTryAt, sentAt, createdAt } =
    mailMessages;
  const found = await ctx.db
    .select({ id, recipient, kind, subject, status, tries, lastError, nextTryAt, sentAt, createdAt })
    .from(mailMessages)
    .where(inArray(id, ids));
  const rows = found.map(({ kind: ofMail, ...row }) => ({
    ...row,
    canBeSentAgain: canBeSentAgain({ status: row.status, kind: ofMail }),
  }));
  return { rows: inOrderOf(ids, rows), pageSize: PAGE_SIZE, ...facts };
}

async function selectMailIds(
  ctx: Context,
  { sort: _, status, ...parsed }: z.output<typeof inputSchema>,
): Promise<PageOfIds> {
  const listed = status === "all" ? sql`true` : ofStatus(status);
  const recipients = parsed.q === "" ? [] : await findRecipients(ctx, parsed.q);
  return selectListPage(ctx.db, {
    ...parsed,
    from: sql`${mailMessages}`,
    id: sql`${mailMessages.id}`,
    listed,
    keys: [{ column: sql`${mailMessages.createdAt}` }],
    search: () => [
      sql`${mailMessages.recipient} = any(${sql.param(recipients)})`,
      sql`${mailMessages.recipient} = ${parsed.q.toLowerCase()}`,
    ],
  });
}

/** Written out, so that the index of the status is used. */
function ofStatus(status: "queued" | "sent" | "failed"): SQL {
  return sql`${mailMessages.status} = ${sql.raw(`'${status}'`)}`;
}

/** A search that matches more accounts finds the mails to these only. */
const MAX_RECIPIENTS = 1_000;

/** The addresses of accounts that match: their table has an index for searches, and nobody else gets mail. */
async function findRecipients(ctx: Context, q: string): Promise<string[]> {
  const pattern = searchPattern(q);
  if (pattern === null) return [];
  const { rows } = await ctx.db.execute(
    sql`select ${users.email} as email from ${users} where ${users.email} ilike ${pattern} limit ${MAX_RECIPIENTS}`,
  );
  return z
    .array(z.object({ email: z.string() }))
    .parse(rows)
    .map(({ email }) => email);
}
