import { and, asc, eq, isNull, or, type SQLWrapper, sql } from "drizzle-orm";
import { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { authAccounts, sessions, users, verifications } from "#db/tables/accounts.ts";
import { stockAlerts } from "#db/tables/catalog.ts";
import { devices, deviceTickets } from "#db/tables/devices.ts";
import { auditEvents, mailMessages } from "#db/tables/operations.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodeReports } from "#db/tables/vault.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { type AuthorisedContext, requireAdmin, requireBrowser, requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { queueMail } from "../mail/queue-mail.server.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { revokePurchases } from "../passes/end-purchases.server.ts";
import { forgetReferences } from "../payments/credits.server.ts";
import { forgetWordsOfGateway } from "../payments/payment-attempts.server.ts";
import { listOpenRefunds } from "../payments/refunds.server.ts";
import { forgetPayer } from "../payments/unknown-payments.server.ts";
import { emptyDocumentsOf } from "../vault/imported-originals.server.ts";
import { confirmOwner } from "./change-password.server.ts";
import {
  type EndingPurchases,
  findAccountById,
  findSessionStart,
  selectEndingPurchases,
} from "./queries.server.ts";
import { DELETION_WORD, DELETION_WORD_MISSING } from "./rules.ts";

const userIdInput = z.object({ userId: z.uuid() });

/** Whose account an admin is about to delete, and what ends with it. */
export interface UserDeletion extends EndingPurchases {
  email: string;
  displayName: string;
}

/**
 * What `deleteUser` would end of a user, for the confirmation by the admin.
 *
 * @throws DomainError unauthenticated, forbidden (also for an admin's account), not-found (also deleted), invalid-input
 */
export async function describeUserDeletion(
  ctx: Context,
  input: z.input<typeof userIdInput> | UntrustedInput,
): Promise<UserDeletion> {
  requireAdmin(ctx, "reads");
  const { userId } = parseInput(userIdInput, input);
  const account = await findAccountById(ctx.db, userId);
  if (!account) throw new DomainError("not-found");
  if (account.role === "admin") throw new DomainError("forbidden");
  const { email, displayName } = account;
  return {
    email,
    displayName,
    ...(await countEnding(ctx, [userId])),
  };
}

/** What the deletion of users would end, in the operation of the caller. */
export const countEnding = (
  ctx: AuthorisedContext,
  userIds: readonly string[] | SQLWrapper,
): Promise<EndingPurchases> => selectEndingPurchases(ctx.db, { userIds, now: ctx.clock.now() });

/**
 * An admin deletes a user, see `eraseAccount`. A second call changes nothing. Admins cannot be deleted by another admin.
 *
 * @throws DomainError unauthenticated, forbidden (also for an admin's account), password-needed, not-found,
 *   invalid-input
 */
export async function deleteUser(
  ctx: Context,
  input: z.input<typeof userIdInput> | UntrustedInput,
): Promise<void> {
  requireAdmin(ctx, "deletes");
  const { userId } = parseInput(userIdInput, input);
  await inTransaction(ctx.db, (tx) => eraseUser(ctx, tx, userId));
}

/** `deleteUser` in the transaction of the caller. @returns whether the account was there */
export async function eraseUser(ctx: AuthorisedContext, tx: Transaction, userId: string): Promise<boolean> {
  const user = await lockUser(tx, userId);
  if (!user) throw new DomainError("not-found");
  if (user.role === "admin") throw new DomainError("forbidden");
  if (user.deletedAt === null) await eraseAccount(ctx, tx, user, "user.deleted");
  return user.deletedAt === null;
}

/** What the deletion of one's own account ends, and the sum of the refunds that still go on. */
export interface MyDeletion extends EndingPurchases {
  openRefundsPaise: number;
}

/** What `deleteMyAccount` would end of the signed-in person, for the account page. @throws DomainError unauthenticated */
export async function describeMyDeletion(ctx: Context): Promise<MyDeletion> {
  requireSignedIn(ctx, "reads");
  const { userId } = ctx.actor;
  const [ending, { openRefundsPaise }] = await Promise.all([
    countEnding(ctx, [userId]),
    listOpenRefunds(ctx.db, userId),
  ]);
  return { ...ending, openRefundsPaise };
}

const deleteMyAccountInput = z.object({
  /** The password, if the account has one. */
  password: z.string().max(1000).default(""),
  confirmation: z
    .string({ error: DELETION_WORD_MISSING })
    .refine((typed) => typed.trim().toUpperCase() === DELETION_WORD, DELETION_WORD_MISSING),
  /** How many passes and open checkouts the page has shown. */
  passes: z.coerce.number().int(),
  checkouts: z.coerce.number().int(),
});

/**
 * A signed-in person deletes their own account, see `eraseAccount`, after `confirmOwner`. It is refused when it would end
 * another number of passes or checkouts than the page has shown, because a payment may have been confirmed meanwhile. The last
 * mail says that the account was deleted, and names the refunds that go on. The last admin cannot do it. The second of two calls
 * at the same time changes nothing.
 *
 * @returns `setCookies`: the headers that sign this browser out
 * @throws DomainError unauthenticated, last-admin, deletion-changed, what `confirmOwner` throws, forbidden without a browser
 */
export async function deleteMyAccount(
  ctx: Context,
  input: z.input<typeof deleteMyAccountInput> | UntrustedInput,
): Promise<{ setCookies: string[] }> {
  requireSignedIn(ctx, "own-account");
  const { kind, userId, email, sessionId } = ctx.actor;
  requireBrowser(ctx);
  const { browser } = ctx;
  const { password, passes, checkouts } = parseInput(deleteMyAccountInput, input);
  await confirmOwner(ctx, { password });
  await inTransaction(ctx.db, async (tx) => {
    if (kind === "admin") await requireAnotherAdmin(tx, userId);
    const user = await lockUser(tx, userId);
    if (!user || user.deletedAt !== null) return;
    if ((await findSessionStart(tx, sessionId)) === undefined) throw new DomainError("unauthenticated");
    const openRefunds = await listOpenRefunds(tx, userId);
    const ended = await eraseAccount(ctx, tx, user, "account.deleted");
    if (ended.passesEnded !== passes || ended.checkoutsEnded !== checkouts)
      throw new DomainError("deletion-changed");
    // Without a mail server the mail would wait, and its row would keep the address.
    if (ctx.ports.mailTransport !== null)
      await queueMail(ctx, tx, { to: email, kind: "account-deleted", facts: openRefunds, account: user });
  });
  ctx.ports.jobs.triggerSoon("send-mail");
  return ctx.ports.authenticator.signOut(browser);
}

type User = typeof users.$inferSelect;

/** Locks an account. Each checkout, claim and connection of a device locks this row first, so none can start meanwhile. */
export async function lockUser(tx: Transaction, userId: string): Promise<User | undefined> {
  const [user] = await tx.select().from(users).where(eq(users.id, userId)).for("update");
  return user;
}

/** Locks all admins, so that two cannot leave at the same time. @throws DomainError last-admin */
async function requireAnotherAdmin(tx: Transaction, userId: string): Promise<void> {
  const admins = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.role, "admin"), isNull(users.deletedAt)))
    .orderBy(asc(users.id))
    .for("update");
  if (admins.every(({ id }) => id === userId)) throw new DomainError("last-admin");
}

/**
 * Deletes an account that the caller has locked: ends its sessions, revokes its passes and open checkouts, deletes its ways
 * to sign in, reset links, devices, reports, stock alerts and mails, and removes personal data from the rows that are kept.
 * The rows about money stay, so the revenue does not change, a refund under way goes on, and a payment that arrives later is
 * refunded. The event has no address and no name: the audit log must not keep what the deletion removes.
 */
async function eraseAccount(
  ctx: Context,
  tx: Transaction,
  user: User,
  action: "user.deleted" | "account.deleted",
): Promise<{ passesEnded: number; checkoutsEnded: number }> {
  const { id: userId, email } = user;
  const purchases = tx
    .select({ id: userPurchases.id })
    .from(userPurchases)
    .where(eq(userPurchases.userId, userId));
  const ended = await revokePurchases(ctx, tx, userId);
  await emptyDocumentsOf(tx, { userId, email });
  await forgetPayer(tx, user);
  await forgetWordsOfGateway(tx, userId);
  await forgetReferences(tx, userId);
  await tx.delete(sessions).where(eq(sessions.userId, userId));
  await tx.delete(authAccounts).where(eq(authAccounts.userId, userId));
  await tx.delete(verifications).where(eq(verifications.value, userId));
  await tx.delete(devices).where(eq(devices.userId, userId));
  await tx.delete(deviceTickets).where(eq(deviceTickets.userId, userId));
  await tx.delete(accessCodeReports).where(eq(accessCodeReports.userId, userId));
  // Before the mails: a job that is writing one for such a row is waited for here.
  await tx.delete(stockAlerts).where(eq(stockAlerts.userId, userId));
  await tx
    .delete(mailMessages)
    // As an array, because with a subquery Postgres would read all mails instead of the indexes.
    .where(or(eq(mailMessages.recipient, email), sql`${mailMessages.purchaseId} = any(array(${purchases}))`));
  await forgetInAuditLog(tx, userId);
  await tx
    .update(users)
    .set({
      email: `${userId}@deleted.invalid`,
      emailVerified: false,
      name: "",
      image: null,
      language: "en",
      isActive: false,
      deletedAt: ctx.clock.now(),
    })
    .where(eq(users.id, userId));
  changed(tx, sessions, devices, accessCodeReports, stockAlerts, users);
  await recordAudit(ctx, tx, {
    action,
    subjectType: "user",
    subjectId: userId,
    details: { before: { isActive: user.isActive, provider: user.provider }, after: null, ...ended },
  });
  return ended;
}

/** The events stay, without client addresses and the names of devices. */
async function forgetInAuditLog(tx: Transaction, userId: string): Promise<void> {
  const { actorId, subjectId, details, action } = auditEvents;
  await tx
    .update(auditEvents)
    .set({
      details: sql`case when starts_with(${action}, 'device.') then ${details} - 'name' else ${details} end - 'ipAddress'`,
    })
    .where(
      and(or(eq(actorId, userId), eq(subjectId, userId)), sql`${details} ?| array['ipAddress', 'name']`),
    );
  changed(tx, auditEvents);
}
