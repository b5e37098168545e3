import { eq } from "drizzle-orm";
import type { z } from "zod";
import { userPurchases } from "#db/tables/purchases.ts";
import { inTransaction } from "#db/transaction.ts";
import { requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput } from "../parse.ts";
import { type CheckoutStatus, readCheckoutStatus, settleByPurchase } from "./checkout-status.server.ts";
import { releasePending } from "./queries.server.ts";
import { purchaseIdInput } from "./schemas.ts";

/**
 * The buyer closed the checkout: what it held is given back at once. A payment made in the last moment is looked for
 * first and wins.
 *
 * @throws DomainError unauthenticated, purchase-not-found
 */
export async function cancelCheckout(
  ctx: Context,
  input: z.input<typeof purchaseIdInput>,
): Promise<CheckoutStatus> {
  const actor = requireSignedIn(ctx);
  const { purchaseId } = parseInput(purchaseIdInput, input);
  const [purchase] = await ctx.db.select().from(userPurchases).where(eq(userPurchases.id, purchaseId));
  if (purchase?.userId !== actor.userId) throw new DomainError("purchase-not-found");
  if (purchase.status === "pending") {
    await settleByPurchase(ctx, purchaseId);
    const released = await inTransaction(ctx.db, (tx) =>
      releasePending(tx, { purchaseId, reason: "closed", errorMessage: null }),
    );
    if (released) ctx.log.info({ purchaseId }, "checkout closed");
  }
  return readCheckoutStatus(ctx, purchaseId, { paid: false });
}
