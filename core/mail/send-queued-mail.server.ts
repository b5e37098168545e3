import { and, eq, inArray, isNull, lt, or, sql } from "drizzle-orm";
import { mailMessages } from "#db/tables/operations.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { MINUTE } from "../time.ts";
import { KINDS_WITH_SECRET_LINK, type MailTransport } from "./mail-templates.ts";

const MAX_TRIES = 5;
/** A message being sent is left alone for this long; after it, its sender is taken to have died. */
const LEASE = 5 * MINUTE;

type Message = typeof mailMessages.$inferSelect;

/**
 * Sends what waits in the outbox, oldest first. Without a mail server it stays there, readable. A refused message is
 * tried again later, up to five times; a crash in the middle may send one message twice, and loses none. The text of a
 * sent message stays, unless it holds a secret link.
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

/**
 * Takes the next message for this sender. While a message is queued, `sentAt` is the moment its last try began.
 */
async function claimNext(ctx: Context): Promise<Message | undefined> {
  const now = ctx.clock.now();
  const free = or(isNull(mailMessages.sentAt), lt(mailMessages.sentAt, new Date(now.getTime() - LEASE)));
  const next = ctx.db
    .select({ id: mailMessages.id })
    .from(mailMessages)
    .where(and(eq(mailMessages.status, "queued"), free))
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
    ctx.log.warn(
      { mailId: id, kind, tries, status, lastError },
      "a mail was not taken over by the mail server",
    );
    return "failed";
  }
  // In the statement that marks the mail as sent, so that no crash leaves the link of a sent mail readable.
  const blanked = KINDS_WITH_SECRET_LINK.has(kind) ? { html: "", text: "" } : {};
  await ctx.db
    .update(mailMessages)
    .set({ status: "sent", sentAt: ctx.clock.now(), lastError: null, ...blanked })
    .where(eq(mailMessages.id, id));
  return "sent";
}
