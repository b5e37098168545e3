import { and, eq, isNull } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import type { Context } from "../context.ts";
import type { MailKind, MailKinds } from "./mail-templates.ts";
import { queueMail } from "./queue-mail.server.ts";

/** Writes a mail to every active admin into the outbox, in the caller's transaction. */
export async function queueOwnerMail<Kind extends MailKind>(
  ctx: Context,
  executor: Executor,
  mail: { kind: Kind; facts: MailKinds[Kind] },
): Promise<void> {
  const owners = await executor
    .select({ email: users.email })
    .from(users)
    .where(and(eq(users.role, "admin"), eq(users.isActive, true), isNull(users.deletedAt)));
  for (const { email } of owners) await queueMail(ctx, executor, { to: email, ...mail });
}
