import type { Transaction } from "#db/database.ts";
import { recordAudit } from "../../audit/record-audit.server.ts";
import type { Context } from "../../context.ts";
import { DomainError } from "../../errors.ts";
import { queueMail } from "../../mail/queue-mail.server.ts";
import { endDevices } from "../administration/set-user-active.server.ts";
import { normaliseEmail } from "../form-rules.ts";
import { type Account, findAccountById, lockAccountByEmail, setVerifiedByGoogle } from "../queries.server.ts";
import type { ProviderIdentity } from "./identity-provider.ts";

/**
 * The account of a person whose address the provider has verified, in the caller's transaction.
 *
 * - The person has signed in with Google before: that account, whatever its address is today.
 * - The address is that of a verified account: Google becomes a second way to sign in to it, and a mail tells its owner.
 * - The address is that of an account that nobody has verified: somebody else may have created it. The person takes it over:
 *   its password is removed, its sessions and devices end, and a mail tells the owner of the address.
 * - In both cases, when Google does not give out the addresses of that domain, the person has to be signed in to the account,
 *   because the address may have got another owner since Google has verified it.
 * - The address is unknown: a new account.
 *
 * An admin signs in with a password only, so Google neither opens nor creates the admin's account.
 *
 * @param identity its `email` in lower case
 * @param signedInAs the account that the browser is signed in to, if any: the person connects Google to it
 * @throws DomainError 'password-sign-in-only', 'user-disabled', 'google-account-differs', 'google-needs-password',
 *   'google-email-differs' for another account than `signedInAs`, 'email-in-use' when another request has created the account
 *   meanwhile
 */
export async function findAccountOfIdentity(
  ctx: Context,
  tx: Transaction,
  identity: ProviderIdentity,
  signedInAs: string | null,
): Promise<string> {
  const { authenticator } = ctx.ports;
  const { email, issuer, subject } = identity;
  const isOther = (userId?: string) => signedInAs !== null && userId !== signedInAs;
  const linked = await authenticator.findGoogleAccount(tx, { issuer, subject });
  if (linked !== null) {
    const account = await findAccountById(tx, linked.userId);
    if (account?.role === "admin") throw new DomainError("password-sign-in-only");
    if (isOther(linked.userId)) throw new DomainError("google-email-differs");
    return linked.userId;
  }
  if (email === normaliseEmail(ctx.store.adminEmail)) throw new DomainError("password-sign-in-only");
  const account = await lockAccountByEmail(tx, email);
  if (isOther(account?.id)) throw new DomainError("google-email-differs");
  if (account === undefined) return createAccount(ctx, tx, identity);
  if (account.role === "admin") throw new DomainError("password-sign-in-only");
  if (!account.isActive) throw new DomainError("user-disabled");
  const other = await authenticator.findGoogleAccount(tx, { issuer, userId: account.id });
  // An address that was given to somebody else at Google does not open the account of its last owner.
  if (other !== null && other.subject !== subject) throw new DomainError("google-account-differs");
  if (other !== null) return account.id;
  const mayLink = identity.isAuthoritative || signedInAs === account.id;
  if (!mayLink) throw new DomainError("google-needs-password");
  await link(ctx, tx, account, identity);
  return account.id;
}

async function createAccount(ctx: Context, tx: Transaction, identity: ProviderIdentity): Promise<string> {
  const { userId } = await ctx.ports.authenticator.createGoogleAccount(tx, identity);
  await recordAudit(ctx, tx, {
    action: "account.signed-up",
    subjectType: "user",
    subjectId: userId,
    details: { provider: "google" },
  });
  return userId;
}

async function link(
  ctx: Context,
  tx: Transaction,
  account: Account & { emailVerified: boolean },
  { issuer, subject }: ProviderIdentity,
): Promise<void> {
  const { authenticator } = ctx.ports;
  const { id: userId, email, emailVerified } = account;
  await authenticator.linkGoogleAccount(tx, { userId, issuer, subject });
  if (emailVerified) await queueMail(ctx, tx, { to: email, kind: "google-linked", facts: { email } });
  else {
    await authenticator.removePassword(tx, { userId });
    await endDevices(ctx, tx, userId);
    await setVerifiedByGoogle(tx, userId);
    await queueMail(ctx, tx, { to: email, kind: "account-taken-over", facts: { email } });
  }
  await recordAudit(ctx, tx, {
    action: emailVerified ? "account.google-linked" : "account.taken-over",
    subjectType: "user",
    subjectId: userId,
  });
}
