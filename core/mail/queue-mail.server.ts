import type { Executor } from "#db/database.ts";
import { mailMessages } from "#db/tables/operations.ts";
import type { Context } from "../context.ts";
import { KINDS_WITH_SECRET_LINK, type MailKind, type MailKinds } from "./mail-templates.ts";
import { readShopFacts } from "./shop-facts.server.ts";

/**
 * Writes a mail into the outbox, in the caller's transaction, and triggers the job that sends it. A template that fails is
 * logged and there is no mail: a refund or a pass is worth more than the mail about it. Only a mail that is itself what the
 * person asked for, such as a reset link, fails the operation.
 *
 * @param mail.validUntil the mail is not sent later than this, because its link no longer works then
 */
export async function queueMail<Kind extends MailKind>(
  ctx: Context,
  executor: Executor,
  mail: { to: string; kind: Kind; facts: MailKinds[Kind]; validUntil?: Date },
): Promise<void> {
  const { to, kind, facts, validUntil = null } = mail;
  const shop = await readShopFacts(ctx, executor);
  const rendered = await ctx.ports.mailTemplates.render(kind, facts, shop).catch((error: unknown) => {
    if (KINDS_WITH_SECRET_LINK.has(kind)) throw error;
    ctx.log.error({ err: error, kind }, "a mail cannot be rendered");
    return null;
  });
  if (rendered === null) return;
  const now = ctx.clock.now();
  await executor
    .insert(mailMessages)
    .values({ recipient: to, kind, ...rendered, validUntil, nextTryAt: now, createdAt: now });
  // The job waits a moment for the commit. A mail of a longer transaction waits for the next run.
  ctx.ports.jobs.triggerSoon("send-mail");
}
