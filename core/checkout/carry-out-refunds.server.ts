import { asc, eq, inArray } from "drizzle-orm";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { GatewayError } from "./payment-gateway.ts";

const BATCH = 50;

/**
 * Pays back every refund that is decided and not final. Safe to run at any time and twice at once: the gateway knows the
 * idempotency key. A refund the gateway refuses for good is marked failed and logged as an error for the owner.
 */
export async function carryOutRefunds(ctx: Context): Promise<{ processed: number; unfinished: number }> {
  requireSystem(ctx);
  const { gateway } = ctx.ports;
  if (!gateway) return { processed: 0, unfinished: 0 };
  const due = await ctx.db
    .select({ refund: refunds, paymentId: paymentAttempts.gatewayPaymentId, gateway: paymentOrders.gateway })
    .from(refunds)
    .innerJoin(paymentAttempts, eq(paymentAttempts.id, refunds.attemptId))
    .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
    .where(inArray(refunds.status, ["requested", "processing"]))
    .orderBy(asc(refunds.tries), asc(refunds.createdAt))
    .limit(BATCH);
  let processed = 0;
  let unfinished = 0;
  for (const { refund, paymentId, gateway: gatewayName } of due) {
    if (gatewayName !== gateway.name) continue;
    const change = await payBack(ctx, gateway, refund, paymentId);
    await ctx.db
      .update(refunds)
      .set({ ...change, tries: refund.tries + 1 })
      .where(eq(refunds.id, refund.id));
    if (change.status === "processed") processed++;
    else unfinished++;
  }
  return { processed, unfinished };
}

async function payBack(
  ctx: Context,
  gateway: NonNullable<Context["ports"]["gateway"]>,
  refund: typeof refunds.$inferSelect,
  paymentId: string,
): Promise<Partial<typeof refunds.$inferInsert>> {
  try {
    const answer = await gateway.refund({
      paymentId,
      amountPaise: refund.amount,
      idempotencyKey: refund.idempotencyKey,
    });
    const status = answer.status === "pending" ? "processing" : answer.status;
    ctx.log.info({ refundId: refund.id, status }, "refund answered");
    return { status, gatewayRefundId: answer.refundId, lastError: null };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const level = error.retryable ? "warn" : "error";
    ctx.log[level]({ err: error, refundId: refund.id }, "refund not carried out");
    return { status: error.retryable ? refund.status : "failed", lastError: error.message };
  }
}
