import { and, asc, eq, isNull, notInArray } from "drizzle-orm";
import { gatewayEvents } from "#db/tables/payments.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { GatewayError } from "./payment-gateway.ts";
import { settlePayment } from "./settle-payment.server.ts";

const BATCH = 50;

/**
 * Works off the inbox. What an event says is never believed: each one only makes us ask the gateway about its order.
 * Events of one order are handled together. One that cannot be handled now stays for the next run.
 */
export async function handleGatewayEvents(ctx: Context): Promise<{ handled: number }> {
  requireSystem(ctx);
  const { gateway } = ctx.ports;
  if (!gateway) return { handled: 0 };
  let handled = 0;
  const postponed: string[] = [];
  for (;;) {
    const events = await ctx.db
      .select({ id: gatewayEvents.id, orderId: gatewayEvents.gatewayOrderId })
      .from(gatewayEvents)
      .where(
        and(
          isNull(gatewayEvents.handledAt),
          eq(gatewayEvents.gateway, gateway.name),
          postponed.length > 0 ? notInArray(gatewayEvents.id, postponed) : undefined,
        ),
      )
      .orderBy(asc(gatewayEvents.createdAt))
      .limit(BATCH);
    if (events.length === 0) return { handled };
    const settled = new Map<string, string | null>();
    for (const event of events) {
      if (event.orderId && !settled.has(event.orderId)) {
        settled.set(event.orderId, await trySettle(ctx, event.orderId));
      }
      const error = event.orderId ? (settled.get(event.orderId) ?? null) : null;
      await ctx.db
        .update(gatewayEvents)
        .set(error === null ? { handledAt: ctx.clock.now(), lastError: null } : { lastError: error })
        .where(eq(gatewayEvents.id, event.id));
      if (error === null) handled++;
      else postponed.push(event.id);
    }
  }
}

/** @returns null when the order is accounted for, else what went wrong */
async function trySettle(ctx: Context, gatewayOrderId: string): Promise<string | null> {
  try {
    await settlePayment(ctx, { gatewayOrderId });
    return null;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    ctx.log.warn({ err: error, gatewayOrderId }, "event postponed: the gateway could not be asked");
    return error.message;
  }
}
