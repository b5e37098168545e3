import { randomInt } from "node:crypto";
import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../../audit/record-audit.server.ts";
import { requireSystem } from "../../authorise.ts";
import { readStoreSettings } from "../../catalog/store-settings.server.ts";
import type { Context } from "../../context.ts";
import { findAccountByEmail, grantAdminRole, hasAnyAdmin } from "../queries.server.ts";
import { parseEmail, requireAcceptablePassword } from "../schemas.ts";

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
    await grantAdminRole(tx, userId);
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
export function generatePassword(): string {
  const group = () =>
    Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
  return Array.from({ length: GROUPS }, group).join("-");
}
