import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../../audit/record-audit.server.ts";
import { requireSystem } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { queueMail } from "../../mail/queue-mail.server.ts";
import { generatePassword } from "../administration/ensure-first-admin.server.ts";
import { endDevices } from "../administration/set-user-active.server.ts";
import { findAccountByEmail, grantAdminRole, selectAdminEmails } from "../queries.server.ts";
import { parseEmail } from "../schemas.ts";
import { resetSignInLimits } from "../sign-in/attempt-sign-in.server.ts";

/** Whether a reset makes one more admin: the address is no admin's, and the shop has others. */
export async function findOtherAdmins(ctx: Context): Promise<{ email: string; others: string[] }> {
  requireSystem(ctx);
  const email = parseEmail(ctx.store.adminEmail);
  const admins = await selectAdminEmails(ctx.db);
  return { email, others: admins.includes(email) ? [] : admins };
}

/**
 * Gives the account of ADMIN_EMAIL a new password and the admin role; creates the account when there is none. Ends its
 * sessions and reset links. For an owner with access to the machine.
 *
 * @returns the new password; show it once and do not store it
 */
export async function resetAdminPassword(ctx: Context): Promise<{ email: string; password: string }> {
  requireSystem(ctx);
  const email = parseEmail(ctx.store.adminEmail);
  const password = generatePassword();
  const { authenticator } = ctx.ports;
  const passwordHash = await authenticator.hashPassword(password);
  await inTransaction(ctx.db, async (tx) => {
    const existing = await findAccountByEmail(tx, email);
    const userId = existing?.id ?? (await authenticator.createAccount(tx, { email, passwordHash })).userId;
    if (existing) {
      await authenticator.setPassword(tx, { userId, passwordHash });
      await endDevices(ctx, tx, userId);
    }
    await grantAdminRole(tx, userId);
    await recordAudit(ctx, tx, { action: "admin.password-reset", subjectType: "user", subjectId: userId });
    if (existing) await queueMail(ctx, tx, { to: email, kind: "password-changed", facts: { email } });
  });
  await resetSignInLimits(ctx, email);
  return { email, password };
}
