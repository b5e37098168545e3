import { and, asc, lte } from "drizzle-orm";
import type { z } from "zod";
import { userPurchases } from "#db/tables/purchases.ts";
import { inTransaction } from "#db/transaction.ts";
import { type AuthorisedContext, requireSignedIn, requireSystem } from "../authorise.ts";
import { forEachWithConcurrency } from "../concurrency.ts";
import type { Context } from "../context.ts";
import type { UntrustedInput } from "../parse.ts";
import { IS_OPEN_CHECKOUT } from "../pass-validity.server.ts";
import { lockAndApplyPurchaseEvent } from "../passes/apply-purchase-event.server.ts";
import { isOpenCheckout } from "../passes/purchase-states.ts";
import { type AttemptedSettlement, settleOrderOfPurchase } from "../payments/settle-order.server.ts";
import { type CheckoutStatus, readCheckoutStatus, requireOwnPurchase } from "./checkout-status.server.ts";
import type { purchaseIdInput } from "./schemas.ts";

/**
 * The buyer closed the checkout: its reservation is released at once. The order is settled first, so that a payment
 * made at the last moment becomes the pass. When the gateway cannot be asked, the status is `unsure`, because the buyer
 * may have paid.
 *
 * @throws DomainError unauthenticated, purchase-not-found
 */
export async function cancelCheckout(
  ctx: Context,
  input: z.input<typeof purchaseIdInput> | UntrustedInput,
): Promise<CheckoutStatus> {
  requireSignedIn(ctx, "own-account");
  const purchase = await requireOwnPurchase(ctx, input);
  const purchaseId = purchase.id;
  if (!isOpenCheckout(purchase)) return readCheckoutStatus(ctx, purchaseId);
  const settlement = await settleOrderOfPurchase(ctx, purchaseId);
  const applied = await inTransaction(ctx.db, (tx) =>
    lockAndApplyPurchaseEvent(ctx, tx, purchaseId, { type: "closed" }),
  );
  if (applied?.kind === "transition") ctx.log.info({ purchaseId }, "checkout closed");
  const now = await readCheckoutStatus(ctx, purchaseId);
  const isUnsure = settlement === "unavailable" || settlement === "error";
  return now.state === "ended" && isUnsure ? { ...now, unsure: true } : now;
}

const BATCH = 200;
const CONCURRENCY = 4;

/** Expires every hold whose 15 minutes are over: its order is settled once more, then its reservation is released. */
export async function expireHolds(ctx: Context): Promise<{ expired: number }> {
  requireSystem(ctx);
  const due = await ctx.db
    .select({ id: userPurchases.id })
    .from(userPurchases)
    .where(and(IS_OPEN_CHECKOUT, lte(userPurchases.holdEndsAt, ctx.clock.now())))
    .orderBy(asc(userPurchases.holdEndsAt))
    .limit(BATCH);
  let expired = 0;
  let isGatewayUnavailable = false;
  await forEachWithConcurrency(
    due,
    CONCURRENCY,
    async ({ id }) => {
      // A gateway that does not answer must not prolong the hold. A late payment is recorded when it is reported.
      if (!isGatewayUnavailable) {
        isGatewayUnavailable = (await settleBeforeExpiry(ctx, id)) === "unavailable";
      }
      const applied = await inTransaction(ctx.db, (tx) =>
        lockAndApplyPurchaseEvent(ctx, tx, id, { type: "hold-expired" }),
      );
      if (applied?.kind === "transition") expired++;
      return true;
    },
    (error, { id }) => ctx.log.error({ err: error, purchaseId: id }, "a hold could not be expired"),
  );
  if (expired > 0) ctx.log.info({ expired }, "holds expired");
  return { expired };
}

/** A hold expires on time, whatever is wrong with its order. */
async function settleBeforeExpiry(ctx: AuthorisedContext, purchaseId: string): Promise<AttemptedSettlement> {
  try {
    return await settleOrderOfPurchase(ctx, purchaseId);
  } catch (error) {
    ctx.log.error({ err: error, purchaseId }, "an order could not be settled before its hold expired");
    return "error";
  }
}
