import type { Executor } from "#db/database.ts";
import { mailMessages } from "#db/tables/operations.ts";
import type { Context } from "../context.ts";
import type { MailKind, MailKinds } from "./mail-templates.ts";
import { readShopFacts } from "./shop-facts.server.ts";

/**
 * Writes a mail into the outbox and enqueues the job that sends it, in the caller's transaction.
 *
 * @param mail.validUntil the mail is not sent later than this, because its link no longer works then
 */
export async function queueMail<Kind extends MailKind>(
  ctx: Context,
  executor: Executor,
  mail: { to: string; kind: Kind; facts: MailKinds[Kind]; validUntil?: Date },
): Promise<void> {
  const { to, kind, facts, validUntil = null } = mail;
  const rendered = await ctx.ports.mailTemplates.render(kind, facts, await readShopFacts(ctx, executor));
  const now = ctx.clock.now();
  await executor
    .insert(mailMessages)
    .values({ recipient: to, kind, ...rendered, validUntil, nextTryAt: now, createdAt: now });
  await ctx.ports.jobs.enqueue(executor, "send-mail");
}
