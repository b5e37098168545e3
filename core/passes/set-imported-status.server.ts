import { eq } from "drizzle-orm";
import type { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import { changed, inTransaction, isExclusionViolation } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import { recountForRestartedPass, recountStock } from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { isActivePassRow } from "../pass-validity.server.ts";
import { addDays } from "../time.ts";
import { lockPurchase } from "./apply-purchase-event.server.ts";
import { calledStatus, storedStatus, wasCompleted } from "./purchase-states.ts";
import { moveRenewal } from "./renewals.server.ts";
import { setImportedStatusSchema } from "./schemas.ts";

type ImportedStatus = Pick<Purchase, "status" | "startsAt" | "expiresAt">;

/**
 * The admin sets the status of an imported purchase, to any of the four. 'active' means the same as 'completed'. A purchase
 * that becomes a pass gets the times that it lacks: from its creation, for its validity. A purchase that stops being a pass keeps
 * them. A renewal that waits for its end starts then. Takes no stock, except the code of a tool with one code for each buyer. A
 * repeated call changes nothing.
 *
 * @throws DomainError unauthenticated, forbidden, password-needed, invalid-input, purchase-not-found, purchase-not-imported,
 *   pass-not-changeable (it was ended or superseded), already-owned (another pass of the buyer for the tool in that time),
 *   tool-out-of-stock (no code is left for it)
 */
export async function setImportedStatus(
  ctx: Context,
  input: z.input<typeof setImportedStatusSchema> | UntrustedInput,
): Promise<ImportedStatus> {
  requireAdmin(ctx, "changes-access");
  const { purchaseId, status } = parseInput(setImportedStatusSchema, input);
  try {
    return await inTransaction(ctx.db, async (tx) => {
      const purchase = await lockPurchase(tx, purchaseId);
      if (!purchase) throw new DomainError("purchase-not-found");
      if (purchase.source !== "import") throw new DomainError("purchase-not-imported");
      if (purchase.endedAt !== null) throw new DomainError("pass-not-changeable");
      const { startsAt, expiresAt } = purchase;
      const before = { status: calledStatus(purchase), startsAt, expiresAt };
      if (before.status === status) return before;
      const after = { status, ...(wasCompleted({ status }) ? timesOf(purchase) : { startsAt, expiresAt }) };
      await tx
        .update(userPurchases)
        .set({ ...after, ...storedStatus(status) })
        .where(eq(userPurchases.id, purchaseId));
      changed(tx, userPurchases);
      if (isActivePassRow(purchase, ctx.clock.now()) && !wasCompleted({ status }))
        await moveRenewal(ctx, tx, purchase, ctx.clock.now());
      await countCodes(ctx, tx, { before: purchase, after: { ...purchase, ...after } });
      await recordAudit(ctx, tx, {
        action: "purchase.status-set",
        subjectType: "purchase",
        subjectId: purchaseId,
        details: { before, after },
      });
      return after;
    });
  } catch (error) {
    if (isExclusionViolation(error)) throw new DomainError("already-owned");
    throw error;
  }
}

/** The times of a pass. The end of an old shop's pass may be before its start: such a pass has no time in it. */
function timesOf({ startsAt, expiresAt, createdAt, validityDays }: Purchase) {
  const start = startsAt ?? createdAt;
  const end = expiresAt ?? addDays(start, validityDays);
  return { startsAt: start < end ? start : end, expiresAt: end };
}

/** Where each buyer gets a code, a code is used or free again when a pass begins or ends. @throws DomainError tool-out-of-stock */
async function countCodes(
  ctx: Context,
  tx: Transaction,
  { before, after }: { before: Purchase; after: Purchase },
): Promise<void> {
  const { toolId } = after;
  const now = ctx.clock.now();
  const isActive = isActivePassRow(after, now);
  if (toolId === null || isActivePassRow(before, now) === isActive) return;
  if (!isActive) await recountStock(ctx, tx, toolId);
  else await recountForRestartedPass(ctx, tx, after);
}
