import { and, eq, isNull } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Executor, Transaction } from "#db/database.ts";
import { prepareStatement, valueFor, valuesFor } from "#db/prepared-statement.ts";
import { users } from "#db/tables/accounts.ts";
import { mailMessages } from "#db/tables/operations.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import type { Context } from "../context.ts";
import {
  type MailRecipient,
  mailLanguageOf,
  RECIPIENT_COLUMNS,
  readShopFacts,
} from "./compose-mail.server.ts";
import {
  KINDS_WITH_SECRET_LINK,
  type MailKind,
  type MailKinds,
  PASS_ASSIGNED_SUBJECT,
  type PurchaseMailKind,
  receiptSubject,
} from "./mail-templates.ts";

/**
 * Writes a mail into the outbox, in the language of its recipient, in the caller's transaction, and triggers the job that
 * sends it. A template that fails is logged and there is no mail: a refund or a pass is worth more than the mail about it.
 * Only a mail that is itself what the person asked for, such as a reset link, fails the operation.
 *
 * @returns the id of the mail; null: its template has failed
 * @param mail.account the recipient's account; by default the account that has the address now
 * @param mail.validUntil the mail is not sent later than this, because its link no longer works then
 */
export async function queueMail<Kind extends MailKind>(
  ctx: Context,
  executor: Executor,
  mail: { to: string; kind: Kind; facts: MailKinds[Kind]; account?: MailRecipient; validUntil?: Date },
): Promise<string | null> {
  const { to, kind, facts, validUntil = null } = mail;
  const language = mailLanguageOf(mail.account ?? (await findRecipient(executor, to)));
  const about = { shop: await readShopFacts(ctx, executor), language };
  const rendered = await ctx.ports.mailTemplates.render(kind, facts, about).catch((error: unknown) => {
    if (KINDS_WITH_SECRET_LINK.has(kind)) throw error;
    ctx.log.error({ err: error, kind }, "a mail cannot be rendered");
    return null;
  });
  if (rendered === null) return null;
  const now = ctx.clock.now();
  const [queued] = await executor
    .insert(mailMessages)
    .values({ recipient: to, kind, ...rendered, validUntil, nextTryAt: now, createdAt: now })
    .returning({ id: mailMessages.id });
  // The job waits a moment for the commit. A mail of a longer transaction waits for the next run.
  ctx.ports.jobs.triggerSoon("send-mail");
  return queued?.id ?? null;
}

async function findRecipient(executor: Executor, email: string): Promise<MailRecipient | undefined> {
  const [found] = await executor.select(RECIPIENT_COLUMNS).from(users).where(eq(users.email, email));
  return found;
}

/** Writes a mail to every active admin into the outbox, in the caller's transaction. */
export async function queueOwnerMail<Kind extends MailKind>(
  ctx: Context,
  executor: Executor,
  mail: { kind: Kind; facts: MailKinds[Kind] },
): Promise<void> {
  const owners = await executor
    .select({ email: users.email, account: RECIPIENT_COLUMNS })
    .from(users)
    .where(and(eq(users.role, "admin"), eq(users.isActive, true), isNull(users.deletedAt)));
  for (const { email, account } of owners) await queueMail(ctx, executor, { to: email, account, ...mail });
}

/**
 * Writes the mail about a purchase that has just become a pass into the outbox, in the caller's transaction: a receipt, or
 * the news that an admin has assigned the pass. A purchase has one such mail. Its row has no text: it is rendered when it
 * is sent or read, so a template can neither delay nor fail a purchase. The caller triggers the job after the transaction.
 */
export async function queuePurchaseMail(
  ctx: Context,
  tx: Transaction,
  kind: PurchaseMailKind,
  purchase: Pick<Purchase, "id" | "userEmail" | "toolName" | "testMode">,
): Promise<void> {
  const { id: purchaseId, userEmail: recipient } = purchase;
  // The address of a deleted account is removed.
  if (!recipient.includes("@")) return;
  const template = kind === "pass-assigned" ? PASS_ASSIGNED_SUBJECT : receiptSubject(purchase);
  const subject = template.replace("{tool}", () => purchase.toolName);
  await insertMail(tx, { id: uuidv7(), recipient, kind, subject, purchaseId, createdAt: ctx.clock.now() });
}

const insertMail = prepareStatement("insert-purchase-mail", (tx) =>
  tx
    .insert(mailMessages)
    .values({
      ...valuesFor(mailMessages, ["id", "recipient", "kind", "subject", "purchaseId", "createdAt"]),
      nextTryAt: valueFor(mailMessages.nextTryAt, "createdAt"),
      html: "",
      text: "",
    })
    .onConflictDoNothing({ target: mailMessages.purchaseId }),
);
