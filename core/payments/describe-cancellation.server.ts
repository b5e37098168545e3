import { eq } from "drizzle-orm";
import { z } from "zod";
import { userPurchases } from "#db/tables/purchases.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { CORE_MESSAGES, DomainError } from "../errors.ts";
import { rowId } from "../form-fields.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { type PurchaseState, purchaseStateOf } from "../passes/purchase-states.ts";
import { isRemainderTooSmall, listUnrefundedPayments } from "./refunds/unrefunded-payments.server.ts";

const describeCancellationInput = z.object({ purchaseId: rowId(CORE_MESSAGES["purchase-not-found"]) });

/** What the cancellation of a purchase would do, for the confirmation. */
export interface Cancellation {
  purchaseId: string;
  userEmail: string;
  toolName: string;
  /** Its state now. */
  state: PurchaseState;
  /** What a cancellation with a refund would pay back; 0: nothing can be refunded. */
  refundablePaise: number;
  testMode: boolean;
}

/**
 * What `cancelPurchase` would do now.
 *
 * @throws DomainError unauthenticated, forbidden, purchase-not-found, invalid-input
 */
export async function describeCancellation(
  ctx: Context,
  input: z.input<typeof describeCancellationInput> | UntrustedInput,
): Promise<Cancellation> {
  requireAdmin(ctx, "reads");
  const { purchaseId } = parseInput(describeCancellationInput, input);
  const [purchase] = await ctx.db.select().from(userPurchases).where(eq(userPurchases.id, purchaseId));
  if (!purchase) throw new DomainError("purchase-not-found");
  const { userEmail, toolName, testMode } = purchase;
  const state = purchaseStateOf(purchase, ctx.clock.now());
  const payments = await listUnrefundedPayments(ctx.db, purchaseId);
  const refundablePaise = payments
    .filter((payment) => !isRemainderTooSmall(payment))
    .reduce((sum, { amountPaise, refundedPaise }) => sum + amountPaise - refundedPaise, 0);
  return { purchaseId, userEmail, toolName, state, refundablePaise, testMode };
}
