import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { generatePassword } from "./generate-password.server.ts";
import { findAccountByEmail, makeAdmin } from "./queries.server.ts";
import { parseEmail } from "./schemas.ts";

/**
 * The way back in for an owner at the machine itself: gives the account of ADMIN_EMAIL a new password and the admin
 * role, making the account when there is none. Ends its sessions and
 * reset links.
 *
 * @returns the password, to be shown once and kept nowhere
 */
export async function resetAdminPassword(ctx: Context): Promise<{ email: string; password: string }> {
  requireSystem(ctx);
  const email = parseEmail(ctx.store.adminEmail);
  const password = generatePassword();
  const { authenticator, rateLimiter } = ctx.ports;
  const passwordHash = await authenticator.hashPassword(password);
  await inTransaction(ctx.db, async (tx) => {
    const existing = await findAccountByEmail(tx, email);
    const userId = existing?.id ?? (await authenticator.createAccount(tx, { email, passwordHash })).userId;
    if (existing) await authenticator.setPassword(tx, { userId, passwordHash });
    await makeAdmin(tx, userId);
    await recordAudit(ctx, tx, { action: "admin.password-reset", subjectType: "user", subjectId: userId });
  });
  await rateLimiter.forgive("sign-in-account", email);
  return { email, password };
}
