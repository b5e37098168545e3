import { z } from "zod";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { CORE_MESSAGES, DomainError } from "../errors.ts";
import { rowId } from "../form-fields.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { MANUAL_GATEWAY } from "./credits.server.ts";
import { findOrder } from "./payment-orders.server.ts";
import { type AttemptedSettlement, trySettleOrder } from "./settle-order.server.ts";

const askGatewayInput = z.object({ purchaseId: rowId(CORE_MESSAGES["purchase-not-found"]) });

/**
 * An admin asks the gateway now what was paid for a purchase. Its order is settled as at every other time, so the admin gives
 * nobody more than was paid for.
 *
 * @returns what became of its payments; 'unknown-order' also for an order of another gateway or mode
 * @throws DomainError unauthenticated, forbidden, invalid-input, purchase-not-found (also without an order of a gateway)
 */
export async function askGateway(
  ctx: Context,
  input: z.input<typeof askGatewayInput> | UntrustedInput,
): Promise<{ result: AttemptedSettlement }> {
  requireAdmin(ctx, "low-risk");
  const { purchaseId } = parseInput(askGatewayInput, input);
  const order = await findOrder(ctx.db, { purchaseId });
  if (!order || order.gateway === MANUAL_GATEWAY) throw new DomainError("purchase-not-found");
  const { result } = await trySettleOrder(ctx, order);
  await recordAudit(ctx, ctx.db, {
    action: "purchase.gateway-asked",
    subjectType: "purchase",
    subjectId: purchaseId,
    details: { result },
  });
  return { result };
}
