import { uuidv7 } from "uuidv7";
import type { Transaction } from "#db/database.ts";
import { prepareStatement, valueFor, valuesFor } from "#db/prepared-statement.ts";
import { mailMessages } from "#db/tables/operations.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import type { Context } from "../context.ts";
import { type PurchaseMailKind, purchaseMailSubject } from "./mail-templates.ts";

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
  const subject = purchaseMailSubject(kind, purchase);
  await insertMail(tx, { id: uuidv7(), recipient, kind, subject, purchaseId, createdAt: ctx.clock.now() });
}

const insertMail = prepareStatement("insert-purchase-mail", (tx) =>
  tx
    .insert(mailMessages)
    .values({
      ...valuesFor(mailMessages, ["id", "recipient", "kind", "subject", "purchaseId", "createdAt"]),
      nextTryAt: valueFor(mailMessages.nextTryAt, "createdAt"),
      ...{ html: "", text: "" },
    })
    .onConflictDoNothing({ target: mailMessages.purchaseId }),
);
