import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { formatDateTime } from "../time.ts";
import { TEST_MAIL } from "./mail-templates.ts";
import { queueMail } from "./queue-mail.server.ts";

/**
 * Sends a mail to the admin's own address, so that the owner sees whether mail arrives.
 *
 * @returns the address
 * @throws DomainError 'unauthenticated', 'forbidden'; 'changed-meanwhile' when no mail server is set
 */
export async function sendTestMail(ctx: Context): Promise<{ email: string }> {
  const { email, userId } = requireAdmin(ctx, "keeps-house");
  if (ctx.ports.mailTransport === null) throw new DomainError("changed-meanwhile");
  const sentAt = formatDateTime(ctx.clock.now(), ctx.store.timeZone);
  await inTransaction(ctx.db, async (tx) => {
    await queueMail(ctx, tx, { to: email, kind: TEST_MAIL, facts: { sentAt } });
    await recordAudit(ctx, tx, { action: "mail.test-sent", subjectType: "user", subjectId: userId });
  });
  ctx.ports.jobs.triggerSoon("send-mail");
  return { email };
}
