import { and, eq, gt, inArray, lte, sql } from "drizzle-orm";
import { users } from "#db/tables/accounts.ts";
import { type MailMessage, mailMessages } from "#db/tables/operations.ts";
import { type AuthorisedContext, requireSystem } from "../authorise.ts";
import { isUnconfirmedRestore } from "../backups/restored-shop.server.ts";
import type { Context } from "../context.ts";
import { MINUTE } from "../time.ts";
import { composeMail, MailTemplateError, readShopFacts } from "./compose-mail.server.ts";
import {
  KINDS_WITH_SECRET_LINK,
  LAST_MAIL,
  MailRefusedError,
  type MailTransport,
  REMINDER_MAIL,
  type RenderedMail,
  type ShopFacts,
} from "./mail-templates.ts";
import { stopRemindersUrl } from "./stop-reminders-link.ts";

/** A claimed message is free again after this time: its sender has probably crashed. Longer than any attempt to send. */
const LEASE_MS = 5 * MINUTE;

/** The waits after the first, second, … refusal of a mail: about a day together. */
const WAITS_MINUTES = [1, 5, 30, 120, 360, 960];

/** The wait when the connection failed, or the server accepted nothing from this shop, and this is no try of the mail. */
const SERVER_WAIT_MS = MINUTE;

interface Sending {
  transport: MailTransport;
  shop: ShopFacts;
}

type Outcome = "sent" | "failed" | "server-unavailable";

/**
 * Sends the mail of the outbox that is due, longest due first. Does nothing without a mail server, and in a restored shop
 * that no admin has confirmed. A message that the
 * server refuses is tried again for about a day, at growing intervals, and not again when its recipient is refused for
 * good. When the connection fails, the run ends with this message, and the next run begins with another message: so neither
 * a dead server nor one message keeps the others from being sent. Such a failure counts as a refusal only when other mail
 * was sent since the message has failed before: then the message is at fault and not the server. A crash may send one
 * message twice, but loses none. The text of a sent message is kept unless it holds a secret link. Nothing of the last mail to a
 * deleted account is kept.
 *
 * @throws DomainError forbidden
 */
export async function sendQueuedMail(ctx: Context): Promise<{ sent: number; failed: number }> {
  requireSystem(ctx);
  const transport = ctx.ports.mailTransport;
  const result = { sent: 0, failed: 0 };
  if (transport === null || (await isUnconfirmedRestore(ctx.db))) return result;
  const sending = { transport, shop: await readShopFacts(ctx, ctx.db) };
  for (let message = await claimNext(ctx); message; message = await claimNext(ctx)) {
    const outcome = await deliver(ctx, sending, message);
    if (outcome === "server-unavailable") break;
    result[outcome] += 1;
  }
  return result;
}

/** Claims the next message for this sender. */
async function claimNext(ctx: AuthorisedContext): Promise<MailMessage | undefined> {
  const now = ctx.clock.now();
  const next = ctx.db
    .select({ id: mailMessages.id })
    .from(mailMessages)
    .where(and(eq(mailMessages.status, "queued"), lte(mailMessages.nextTryAt, now)))
    .orderBy(mailMessages.nextTryAt)
    .limit(1)
    .for("update", { skipLocked: true });
  const [claimed] = await ctx.db
    .update(mailMessages)
    .set({ nextTryAt: new Date(now.getTime() + LEASE_MS) })
    .where(inArray(mailMessages.id, next))
    .returning();
  return claimed;
}

async function deliver(
  ctx: AuthorisedContext,
  { transport, shop }: Sending,
  message: MailMessage,
): Promise<Outcome> {
  const { recipient, validUntil } = message;
  if (validUntil !== null && validUntil <= ctx.clock.now()) return recordExpiry(ctx, message);
  const composed = await composeOrNull(ctx, message, shop);
  if (composed === null) return "failed";
  try {
    const unsubscribeUrl = await unsubscribeUrlOf(ctx, message);
    await transport.send({ to: recipient, senderName: shop.name, unsubscribeUrl, ...composed });
  } catch (error) {
    if (error instanceof MailRefusedError) return recordRefusal(ctx, message, error);
    await recordConnectionFailure(ctx, message, error);
    return "server-unavailable";
  }
  // The statement that marks the mail as sent also removes a secret link, so no crash can leave it readable.
  const kept = KINDS_WITH_SECRET_LINK.has(message.kind) ? { html: "", text: "" } : composed;
  await update(ctx, message, {
    status: "sent",
    sentAt: ctx.clock.now(),
    tries: message.tries + 1,
    lastError: null,
    ...kept,
  });
  return "sent";
}

async function unsubscribeUrlOf(
  ctx: AuthorisedContext,
  { kind, recipient }: Pick<MailMessage, "kind" | "recipient">,
): Promise<string | null> {
  if (kind !== REMINDER_MAIL) return null;
  const [account] = await ctx.db.select({ id: users.id }).from(users).where(eq(users.email, recipient));
  return account === undefined ? null : stopRemindersUrl(ctx, account.id);
}

/** @returns null when a template has failed: the mail then waits for the admin to send it again */
async function composeOrNull(
  ctx: AuthorisedContext,
  message: MailMessage,
  shop: ShopFacts,
): Promise<RenderedMail | null> {
  try {
    return await composeMail(ctx, message, shop);
  } catch (error) {
    if (!(error instanceof MailTemplateError)) throw error;
    ctx.log.error({ err: error, mailId: message.id, kind: message.kind }, "a mail cannot be rendered");
    await update(ctx, message, { status: "failed", lastError: error.message });
    return null;
  }
}

async function recordExpiry(ctx: AuthorisedContext, message: MailMessage): Promise<Outcome> {
  const lastError =
    message.kind === REMINDER_MAIL ? "Not sent in time." : "Not sent in time: its link no longer works.";
  await update(ctx, message, { status: "failed", lastError, html: "", text: "" });
  ctx.log.warn({ mailId: message.id, kind: message.kind }, "mail not sent before its link expired");
  return "failed";
}

async function recordRefusal(
  ctx: AuthorisedContext,
  message: MailMessage,
  { message: lastError, isPermanent }: MailRefusedError,
): Promise<Outcome> {
  const { id: mailId, kind } = message;
  const tries = message.tries + 1;
  const now = ctx.clock.now();
  const nextTryAt = isPermanent ? null : nextTryAfter(tries, now);
  await update(ctx, message, {
    tries,
    lastError,
    lastFailedAt: now,
    ...(nextTryAt === null ? { status: "failed" } : { nextTryAt }),
  });
  ctx.log.warn({ mailId, kind, tries, nextTryAt, lastError }, "mail refused by the mail server");
  return "failed";
}

async function recordConnectionFailure(
  ctx: AuthorisedContext,
  message: MailMessage,
  error: unknown,
): Promise<void> {
  const { id: mailId, kind, lastFailedAt } = message;
  const lastError = error instanceof Error ? error.message : String(error);
  if (lastFailedAt !== null && (await wasMailSentAfter(ctx, lastFailedAt))) {
    await recordRefusal(ctx, message, new MailRefusedError(lastError, { isPermanent: false }));
    return;
  }
  const now = ctx.clock.now();
  const nextTryAt = new Date(now.getTime() + SERVER_WAIT_MS);
  await update(ctx, message, { lastError, lastFailedAt: now, nextTryAt });
  ctx.log.warn({ mailId, kind, lastError }, "mail server not available");
}

async function wasMailSentAfter(ctx: AuthorisedContext, moment: Date): Promise<boolean> {
  const [sent] = await ctx.db
    .select({ id: mailMessages.id })
    .from(mailMessages)
    // The status as in the condition of the index.
    .where(and(sql`status = 'sent'`, gt(mailMessages.sentAt, moment)))
    .limit(1);
  return sent !== undefined;
}

async function update(
  ctx: AuthorisedContext,
  { id, kind }: MailMessage,
  changes: Partial<typeof mailMessages.$inferInsert>,
): Promise<void> {
  if (kind === LAST_MAIL && (changes.status === "sent" || changes.status === "failed")) {
    await ctx.db.delete(mailMessages).where(eq(mailMessages.id, id));
    return;
  }
  await ctx.db.update(mailMessages).set(changes).where(eq(mailMessages.id, id));
}

/** @param tries how often the mail was refused @returns null when it is not tried again */
function nextTryAfter(tries: number, now: Date): Date | null {
  const minutes = WAITS_MINUTES[tries - 1];
  return minutes === undefined ? null : new Date(now.getTime() + minutes * MINUTE);
}
