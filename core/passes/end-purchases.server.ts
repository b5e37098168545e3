import { and, eq, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import { lockTools } from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import { lockCouponsOf } from "../coupons/redeem-coupons.server.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { IN_LOCK_ORDER } from "../pass-validity.server.ts";
import { applyPurchaseEvent, lockPurchase } from "./apply-purchase-event.server.ts";
import { purchaseStateOf } from "./purchase-states.ts";

const deletePurchaseInput = z.object({ purchaseId: z.uuid("Purchase not found") });

/**
 * The admin deletes a purchase: access stops at once, and no list shows it any more. The unit of stock and the coupon use of
 * an open checkout or an active pass are released. A renewal that waits for the end of the pass starts now. Its row and its
 * payments stay, so the revenue does not change. A payment that is captured later is refunded. A second call changes nothing.
 *
 * @throws DomainError unauthenticated, forbidden, password-needed, purchase-not-found, invalid-input
 */
export async function deletePurchase(
  ctx: Context,
  input: z.input<typeof deletePurchaseInput> | UntrustedInput,
): Promise<void> {
  requireAdmin(ctx, "deletes");
  const { purchaseId } = parseInput(deletePurchaseInput, input);
  await inTransaction(ctx.db, async (tx) => {
    const purchase = await lockPurchase(tx, purchaseId);
    if (!purchase) throw new DomainError("purchase-not-found");
    if (purchase.endedReason === "deleted" || purchase.endedReason === "user-deleted") return;
    const deleted = await applyPurchaseEvent(ctx, tx, purchase, { type: "deleted" });
    await recordAudit(ctx, tx, {
      action: "purchase.deleted",
      subjectType: "purchase",
      subjectId: purchaseId,
      details: { before: summaryOf(purchase), after: summaryOf(deleted.purchase) },
    });
  });
}

type Summary = Record<"status" | "endedReason" | "stockState" | "expiresAt", unknown>;

const summaryOf = ({ status, endedReason, stockState, expiresAt }: Summary): Summary => ({
  status,
  endedReason,
  stockState,
  expiresAt,
});

/** Replaces the address of a deleted account. No mail can be sent to it. */
const NO_ADDRESS = "deleted user";

/**
 * Ends all open checkouts and passes of a user, because the account is deleted. The rows are kept, because payments refer to
 * them, but without the e-mail address, the notes, the network and
 * where the buyer came from. Later payments are refunded. The caller has authorised and
 * has locked the account.
 *
 * @returns how many passes and open checkouts it ended
 */
export async function revokePurchases(
  ctx: Context,
  tx: Transaction,
  userId: string,
): Promise<{ passesEnded: number; checkoutsEnded: number }> {
  const purchases = await tx
    .select()
    .from(userPurchases)
    .where(and(eq(userPurchases.userId, userId), isNull(userPurchases.endedAt)))
    .orderBy(...IN_LOCK_ORDER)
    .for("update");
  await lockReservations(tx, purchases);
  const states = purchases.map((purchase) => purchaseStateOf(purchase, ctx.clock.now()));
  for (const purchase of purchases) await applyPurchaseEvent(ctx, tx, purchase, { type: "account-closed" });
  await tx
    .update(userPurchases)
    .set({
      userEmail: NO_ADDRESS,
      // Notes of admins and of an old shop may name the person.
      notes: null,
      holdNetwork: null,
      cameFrom: null,
      // History of an imported shop: it disappears from the lists as an expired pass does.
      endedReason: sql`case when ${userPurchases.endedReason} = 'superseded' then 'user-deleted' else ${userPurchases.endedReason} end`,
    })
    .where(eq(userPurchases.userId, userId));
  changed(tx, userPurchases);
  return {
    passesEnded: states.filter((state) => state === "active").length,
    checkoutsEnded: states.filter((state) => state === "held").length,
  };
}

/** Locks in the order that all transactions follow: coupons before tools, each by id. */
async function lockReservations(tx: Transaction, purchases: readonly Purchase[]): Promise<void> {
  await lockCouponsOf(
    tx,
    purchases.filter(({ couponCode }) => couponCode !== null).map(({ id }) => id),
  );
  await lockTools(
    tx,
    purchases.flatMap(({ toolId }) => toolId ?? []),
  );
}
