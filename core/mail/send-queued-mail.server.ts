import { and, eq, inArray, isNull, lt, or, sql } from "drizzle-orm";
import { mailMessages } from "#db/tables/operations.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { MINUTE } from "../time.ts";
import { KINDS_WITH_SECRET_LINK, type MailTransport } from "./mail-templates.ts";

const MAX_TRIES = 5;
/** A claimed message is free again after this time: its sender has probably crashed. */
const LEASE_MS = 5 * MINUTE;

type Message = typeof mailMessages.$inferSelect;

/**
 * Sends the queued mail of the outbox, oldest first. Does nothing without a mail server. A message that fails is tried
 * up to five times. A crash may send one message twice, but loses none. The text of a sent message is kept unless it
 * holds a secret link.
 *
 * @throws DomainError forbidden
 */
export async function sendQueuedMail(ctx: Context): Promise<{ sent: number; failed: number }> {
  requireSystem(ctx);
  const transport = ctx.ports.mailTransport;
  const result = { sent: 0, failed: 0 };
  if (transport === null) return result;
  for (let message = await claimNext(ctx); message; message = await claimNext(ctx)) {
    result[await deliver(ctx, transport, message)] += 1;
  }
  return result;
}

/** Claims the next message for this sender. While a message is queued, `sentAt` is the start of its last attempt. */
async function claimNext(ctx: Context): Promise<Message | undefined> {
  const now = ctx.clock.now();
  const leaseStart = new Date(now.getTime() - LEASE_MS);
  const isFree = or(isNull(mailMessages.sentAt), lt(mailMessages.sentAt, leaseStart));
  const next = ctx.db
    .select({ id: mailMessages.id })
    .from(mailMessages)
    .where(and(eq(mailMessages.status, "queued"), isFree))
    .orderBy(mailMessages.createdAt)
    .limit(1)
    .for("update", { skipLocked: true });
  const [claimed] = await ctx.db
    .update(mailMessages)
    .set({ sentAt: now, tries: sql`${mailMessages.tries} + 1` })
    .where(inArray(mailMessages.id, next))
    .returning();
  return claimed;
}

async function deliver(ctx: Context, transport: MailTransport, message: Message): Promise<"sent" | "failed"> {
  const { id, recipient, subject, html, text, kind, tries } = message;
  try {
    await transport.send({ to: recipient, subject, html, text });
  } catch (error) {
    const lastError = error instanceof Error ? error.message : String(error);
    const status = tries >= MAX_TRIES ? "failed" : "queued";
    await ctx.db.update(mailMessages).set({ status, lastError }).where(eq(mailMessages.id, id));
    ctx.log.warn({ mailId: id, kind, tries, status, lastError }, "mail not accepted by the mail server");
    return "failed";
  }
  // The statement that marks the mail as sent also removes a secret link, so no crash can leave it readable.
  const erased = KINDS_WITH_SECRET_LINK.has(kind) ? { html: "", text: "" } : {};
  await ctx.db
    .update(mailMessages)
    .set({ status: "sent", sentAt: ctx.clock.now(), lastError: null, ...erased })
    .where(eq(mailMessages.id, id));
  return "sent";
}
