import type { Executor } from "#db/database.ts";
import { mailMessages } from "#db/tables/operations.ts";
import type { Context } from "../context.ts";
import type { MailKind, MailKinds } from "./mail-templates.ts";

/** Writes a mail into the outbox and enqueues the job that sends it, in the caller's transaction. */
export async function queueMail<Kind extends MailKind>(
  ctx: Context,
  executor: Executor,
  mail: { to: string; kind: Kind; facts: MailKinds[Kind] },
): Promise<void> {
  const { to, kind, facts } = mail;
  const { subject, html, text } = await ctx.ports.mailTemplates.render(kind, facts);
  const createdAt = ctx.clock.now();
  await executor.insert(mailMessages).values({ recipient: to, kind, subject, html, text, createdAt });
  await ctx.ports.jobs.enqueue(executor, "send-mail");
}
