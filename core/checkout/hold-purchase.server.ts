import { sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import type { PricingOption } from "#db/tables/catalog.ts";
import { paymentOrders } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { inTransaction } from "#db/transaction.ts";
import type { SignedInActor } from "../authorise.ts";
import { takeStock } from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import { findActivePass } from "../entitlements/find-active-pass.server.ts";
import { DomainError } from "../errors.ts";
import { HOLD_MS, SMALLEST_CHARGE_PAISE } from "./limits.ts";
import type { PaymentGateway } from "./payment-gateway.ts";
import {
  findOrder,
  lockPendingPurchase,
  type PaymentOrder,
  type Purchase,
  releasePending,
} from "./queries.server.ts";

export interface HeldCheckout {
  purchase: Purchase;
  order: PaymentOrder;
  /** True when an earlier start of the same checkout made it. */
  resumed: boolean;
}

interface HoldInput {
  actor: SignedInActor;
  tool: { id: string; name: string };
  option: PricingOption;
  gateway: PaymentGateway;
}

/**
 * Makes the pending purchase with its unit of stock and its order row, in one transaction; or finds the one that a
 * second click, another tab or a reload already made. Starts of one buyer for one tool wait for each other.
 *
 * @throws DomainError already-owned, tool-out-of-stock
 */
export async function holdPurchase(ctx: Context, input: HoldInput): Promise<HeldCheckout> {
  return inTransaction(ctx.db, async (tx) => {
    const checkout = `checkout ${input.actor.userId} ${input.tool.id}`;
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${checkout}, 0))`);
    return holdInTransaction(ctx, tx, input);
  });
}

async function holdInTransaction(ctx: Context, tx: Transaction, input: HoldInput): Promise<HeldCheckout> {
  const { actor, tool, option, gateway } = input;
  const now = ctx.clock.now();
  const pending = await lockPendingPurchase(tx, actor.userId, tool.id);
  if (await findActivePass(ctx, tx, { userId: actor.userId, toolId: tool.id })) {
    throw new DomainError("already-owned");
  }
  if (pending) {
    const order = await findOrder(tx, { purchaseId: pending.id });
    const reusable =
      order?.gateway === gateway.name &&
      order.testMode === gateway.testMode &&
      pending.optionLabel === option.label &&
      pending.listPricePaise === option.pricePaise &&
      pending.couponCode === null &&
      pending.holdEndsAt !== null &&
      pending.holdEndsAt > now;
    if (order && reusable) return { purchase: pending, order, resumed: true };
    await releasePending(tx, { purchaseId: pending.id, reason: "replaced", errorMessage: null });
  }
  return insertHeld(ctx, tx, input, now);
}

async function insertHeld(
  ctx: Context,
  tx: Transaction,
  { actor, tool, option, gateway }: HoldInput,
  now: Date,
): Promise<HeldCheckout> {
  const amount = Math.max(option.pricePaise, SMALLEST_CHARGE_PAISE);
  const [purchase] = await tx
    .insert(userPurchases)
    .values({
      userId: actor.userId,
      userEmail: actor.email,
      toolId: tool.id,
      toolName: tool.name,
      optionLabel: option.label,
      validity: option.validityDays,
      listPricePaise: option.pricePaise,
      amount,
      status: "pending",
      source: "checkout",
      stockState: "held",
      holdEndsAt: new Date(now.getTime() + HOLD_MS),
      testMode: gateway.testMode,
      createdAt: now,
    })
    .returning();
  if (!purchase) throw new Error("the insert of a purchase returned no row");
  const [order] = await tx
    .insert(paymentOrders)
    .values({
      purchaseId: purchase.id,
      gateway: gateway.name,
      receipt: purchase.id,
      amount,
      currency: purchase.currency,
      testMode: gateway.testMode,
      createdAt: now,
    })
    .returning();
  if (!order) throw new Error("the insert of an order returned no row");
  // The tool's row comes last: it is the one that everybody wants.
  if (!(await takeStock(tx, tool.id))) throw new DomainError("tool-out-of-stock", { tool: tool.name });
  ctx.log.info({ purchaseId: purchase.id, toolId: tool.id, amount }, "checkout started");
  return { purchase, order, resumed: false };
}
