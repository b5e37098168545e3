import { randomInt } from "node:crypto";
import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireSystem } from "../authorise.ts";
import { readStoreSettings } from "../catalog/store-settings.server.ts";
import type { Context } from "../context.ts";
import { queueMail } from "../mail/queue-mail.server.ts";
import { endDevices } from "../take-over-account.server.ts";
import { resetSignInLimits } from "./attempt-sign-in.server.ts";
import { findAccountByEmail, grantAdminRole, hasAnyAdmin, selectAdminEmails } from "./queries.server.ts";
import { parseEmail, requireAcceptablePassword } from "./schemas.ts";

export interface FirstAdmin {
  created: boolean;
  email: string;
  /** Present when no password was given. It is shown to the owner once and not stored. */
  generatedPassword?: string;
}

/**
 * Creates the shop's first admin. Runs at every start; does nothing when there is or was an admin, and does not promote
 * an existing account. The caller holds the setup lock.
 *
 * @param input.password used only when the admin is created
 * @throws DomainError 'invalid-email', or 'weak-password', 'common-password' and 'guessable-password' for the given password
 */
export async function ensureFirstAdmin(ctx: Context, input: { password?: string } = {}): Promise<FirstAdmin> {
  requireSystem(ctx);
  const email = parseEmail(ctx.store.adminEmail);
  if ((await hasAnyAdmin(ctx.db)) || (await findAccountByEmail(ctx.db, email)))
    return { created: false, email };
  const password = input.password ?? generatePassword();
  const { name: shopName } = await readStoreSettings(ctx);
  requireAcceptablePassword(password, { role: "admin", email, shopName });
  const { authenticator } = ctx.ports;
  const passwordHash = await authenticator.hashPassword(password);
  await inTransaction(ctx.db, async (tx) => {
    const { userId } = await authenticator.createAccount(tx, { email, passwordHash });
    await grantAdminRole(tx, { userId, passwordIsGenerated: input.password === undefined });
    await recordAudit(ctx, tx, { action: "admin.created", subjectType: "user", subjectId: userId });
  });
  return input.password === undefined
    ? { created: true, email, generatedPassword: password }
    : { created: true, email };
}

// Excludes characters that look alike.
const ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789";
const GROUPS = 4;
const GROUP_LENGTH = 5;

/** A password that is easy to read and type: four groups of five characters, 99 bits of entropy. */
function generatePassword(): string {
  const group = () =>
    Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
  return Array.from({ length: GROUPS }, group).join("-");
}

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
    await grantAdminRole(tx, { userId, passwordIsGenerated: true });
    await recordAudit(ctx, tx, { action: "admin.password-reset", subjectType: "user", subjectId: userId });
    if (existing) await queueMail(ctx, tx, { to: email, kind: "password-changed", facts: { email } });
  });
  await resetSignInLimits(ctx, email);
  return { email, password };
}
