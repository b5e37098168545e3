import { eq, inArray, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { users } from "#db/tables/accounts.ts";
import { mailMessages } from "#db/tables/operations.ts";
import { inTransaction } from "#db/transaction.ts";
import { LANGUAGE_CODES } from "#languages/languages.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { type AuthorisedContext, requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError, InvalidInputError } from "../errors.ts";
import { choice, type List, type ListInput, listFields, makeList, type PageOfIds } from "../lists/paging.ts";
import { matches, selectListPage } from "../lists/select-page.server.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { addDays, formatDateTime } from "../time.ts";
import { composeMail, MailTemplateError, readShopFacts } from "./compose-mail.server.ts";
import { KINDS_WITH_SECRET_LINK, REMINDER_MAIL, type RenderedMail, TEST_MAIL } from "./mail-templates.ts";
import { queueMail } from "./queue-mail.server.ts";

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
  /** Whether an admin may send it again. */
  canBeSentAgain: boolean;
}

/** The mails that may be sent again: those that failed, unless their link has expired meanwhile, or what they say is no news any more. */
function canBeSentAgain({ status, kind }: { status: string; kind: string }): boolean {
  return status === "failed" && !KINDS_WITH_SECRET_LINK.has(kind) && kind !== REMINDER_MAIL;
}

/**
 * The mails of the outbox without their texts, newest first unless the input says otherwise.
 *
 * @param input `q`: a part of the recipient's e-mail address; `status`: all or one of them; `direction`; `page`
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function listMail(ctx: Context, input: ListInput): Promise<List<ListedMail>> {
  requireAdmin(ctx, "reads");
  const page = await selectMailIds(ctx, inputSchema.parse(input));
  const { id, recipient, kind, subject, status, tries, lastError, nextTryAt, sentAt, createdAt } =
    mailMessages;
  const found = await ctx.db
    .select({ id, recipient, kind, subject, status, tries, lastError, nextTryAt, sentAt, createdAt })
    .from(mailMessages)
    .where(inArray(id, page.ids));
  const rows = found.map(({ kind: ofMail, ...row }) => ({
    ...row,
    canBeSentAgain: canBeSentAgain({ status: row.status, kind: ofMail }),
  }));
  return makeList(page, rows);
}

async function selectMailIds(
  ctx: AuthorisedContext,
  { sort: _, status, ...parsed }: z.output<typeof inputSchema>,
): Promise<PageOfIds & { isPartial: boolean }> {
  const listed = status === "all" ? sql`true` : ofStatus(status);
  const found = parsed.q === "" ? [] : await findRecipients(ctx, parsed.q);
  const recipients = found.slice(0, MAX_RECIPIENTS);
  const page = await selectListPage(ctx.db, {
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
  return { ...page, isPartial: found.length > recipients.length };
}

/** Written out, so that the index of the status is used. */
function ofStatus(status: "queued" | "sent" | "failed"): SQL {
  return sql`${mailMessages.status} = ${sql.raw(`'${status}'`)}`;
}

/** A search that matches more accounts finds the mails to these only. */
const MAX_RECIPIENTS = 1_000;

/**
 * The addresses of accounts that match, one more than are searched: their table has an index for searches, and nobody else gets
 * mail.
 */
async function findRecipients(ctx: AuthorisedContext, q: string): Promise<string[]> {
  const { rows } = await ctx.db.execute(
    sql`select ${users.email} as email from ${users} where ${matches(q)(users.email)} limit ${MAX_RECIPIENTS + 1}`,
  );
  return z
    .array(z.object({ email: z.string() }))
    .parse(rows)
    .map(({ email }) => email);
}

const readMailInput = z.object({ mailId: z.uuid("Mail not found") });

/** `secret`: the mail holds a link for its recipient only. `unavailable`: its text cannot be made. */
export type MailPreview =
  | ({ kind: "text" } & RenderedMail)
  | { kind: "secret"; subject: string }
  | { kind: "unavailable"; subject: string };

/**
 * The text of a mail. A text with a link that gives access to an account is never shown: an admin could take the account
 * over with it.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', invalid-input, not-found
 */
export async function readMail(
  ctx: Context,
  input: z.input<typeof readMailInput> | UntrustedInput,
): Promise<MailPreview> {
  requireAdmin(ctx, "reads");
  const { mailId } = parseInput(readMailInput, input);
  const [message] = await ctx.db.select().from(mailMessages).where(eq(mailMessages.id, mailId));
  if (!message) throw new DomainError("not-found");
  if (KINDS_WITH_SECRET_LINK.has(message.kind)) return { kind: "secret", subject: message.subject };
  try {
    return { kind: "text", ...(await composeMail(ctx, message, await readShopFacts(ctx, ctx.db))) };
  } catch (error) {
    if (!(error instanceof MailTemplateError)) throw error;
    ctx.log.error({ err: error, mailId }, "a mail cannot be rendered");
    return { kind: "unavailable", subject: message.subject };
  }
}

const sendMailAgainInput = z.object({ mailId: z.uuid("Mail not found") });

/**
 * Puts a mail that has failed back into the queue, with all its tries.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', invalid-input, not-found; changed-meanwhile when it has not failed, or
 *   holds a link that no longer works
 */
export async function sendMailAgain(
  ctx: Context,
  input: z.input<typeof sendMailAgainInput> | UntrustedInput,
): Promise<void> {
  requireAdmin(ctx, "low-risk");
  const { mailId } = parseInput(sendMailAgainInput, input);
  await inTransaction(ctx.db, async (tx) => {
    const [message] = await tx.select().from(mailMessages).where(eq(mailMessages.id, mailId)).for("update");
    if (!message) throw new DomainError("not-found");
    if (!canBeSentAgain(message)) throw new DomainError("changed-meanwhile");
    await tx
      .update(mailMessages)
      .set({ status: "queued", tries: 0, lastError: null, lastFailedAt: null, nextTryAt: ctx.clock.now() })
      .where(eq(mailMessages.id, mailId));
    await recordAudit(ctx, tx, {
      action: "mail.queued-again",
      subjectType: "mail",
      subjectId: mailId,
      details: { kind: message.kind },
    });
  });
  ctx.ports.jobs.triggerSoon("send-mail");
}

const previewInput = z.object({ kind: z.string(), language: z.enum(LANGUAGE_CODES) });

/**
 * A mail of one kind with facts that are made up, as a buyer of this shop who reads this language would get it.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', invalid-input
 */
export async function previewTemplate(
  ctx: Context,
  input: z.input<typeof previewInput> | UntrustedInput,
): Promise<MailPreview> {
  requireAdmin(ctx, "reads");
  const { kind, language } = parseInput(previewInput, input);
  const shop = await readShopFacts(ctx, ctx.db);
  const dateIn = (days: number) => formatDateTime(addDays(ctx.clock.now(), days), ctx.store.timeZone);
  const mail = await ctx.ports.mailTemplates.renderExample(kind, { shop, language, dateIn });
  if (mail === null) throw new InvalidInputError({ kind: ["Mail not found"] });
  return { kind: "text", ...mail };
}

/**
 * Sends a mail to the admin's own address, so that the owner sees whether mail arrives.
 *
 * @returns the address
 * @throws DomainError 'unauthenticated', 'forbidden'; 'changed-meanwhile' when no mail server is set
 */
export async function sendTestMail(ctx: Context): Promise<{ email: string }> {
  requireAdmin(ctx, "low-risk");
  const { email, userId } = ctx.actor;
  if (ctx.ports.mailTransport === null) throw new DomainError("changed-meanwhile");
  const sentAt = formatDateTime(ctx.clock.now(), ctx.store.timeZone);
  await inTransaction(ctx.db, async (tx) => {
    await queueMail(ctx, tx, { to: email, kind: TEST_MAIL, facts: { sentAt } });
    await recordAudit(ctx, tx, { action: "mail.test-sent", subjectType: "user", subjectId: userId });
  });
  ctx.ports.jobs.triggerSoon("send-mail");
  return { email };
}
