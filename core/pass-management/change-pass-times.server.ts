import type { Purchase } from "#db/tables/purchases.ts";
import { inTransaction, isExclusionViolation } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { restoreCodes } from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { lockPurchase } from "../purchases/apply-purchase-event.server.ts";
import { purchaseStateOf } from "../purchases/purchase-machine.ts";
import { updatePassTimes } from "./queries.server.ts";

export interface PassTimes {
  startsAt: Date;
  expiresAt: Date;
}

interface Change {
  purchaseId: string;
  action: "purchase.extended" | "purchase.expiry-set";
  /** The new end of a pass; it throws to refuse. */
  chooseEnd: (pass: PassTimes) => Date;
}

/**
 * Changes the end of a completed purchase that was not ended, with an audit event. An expired pass whose new end is in
 * the future starts again now, so that the time in between is not part of it. The caller authorises.
 *
 * @throws DomainError purchase-not-found, pass-not-changeable, pass-overlap; tool-out-of-stock (no code is left for it)
 */
export async function changePassTimes(ctx: Context, change: Change): Promise<PassTimes> {
  const { purchaseId, action } = change;
  try {
    return await inTransaction(ctx.db, async (tx) => {
      const purchase = await lockPurchase(tx, purchaseId);
      if (!purchase) throw new DomainError("purchase-not-found");
      const now = ctx.clock.now();
      const before = timesOf(purchase, now);
      const expiresAt = change.chooseEnd(before);
      const restarts = before.expiresAt <= now && expiresAt > now;
      const after = { startsAt: restarts ? now : before.startsAt, expiresAt };
      await updatePassTimes(tx, purchaseId, after);
      const { toolId } = purchase;
      // The code that an ended pass had not taken may have been sold since.
      if (restarts && toolId !== null && !(await restoreCodes(ctx, tx, { toolId, purchaseId })))
        throw new DomainError("tool-out-of-stock", { tool: purchase.toolName });
      const subject = { subjectType: "purchase", subjectId: purchaseId };
      await recordAudit(ctx, tx, { action, ...subject, details: { before, after } });
      return after;
    });
  } catch (error) {
    if (isExclusionViolation(error)) throw new DomainError("pass-overlap");
    throw error;
  }
}

function timesOf(purchase: Purchase, now: Date): PassTimes {
  const state = purchaseStateOf(purchase, now);
  const { startsAt, expiresAt } = purchase;
  if ((state !== "active" && state !== "expired") || !startsAt || !expiresAt) {
    throw new DomainError("pass-not-changeable");
  }
  return { startsAt, expiresAt };
}
