import { and, eq, inArray, isNull, or, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { z } from "zod";
import { credits, paymentAttempts, paymentOrders, unknownPayments } from "#db/tables/payments.ts";
import { changed } from "#db/transaction.ts";
import { type AuthorisedContext, requireSystem } from "../authorise.ts";
import { mustReadOrders, readRestoredShop, recordOrdersRead } from "../backups/restored-shop.server.ts";
import { forEachWithConcurrency } from "../concurrency.ts";
import type { Context } from "../context.ts";
import { HOUR } from "../time.ts";
import { normaliseReference } from "../typed-text.ts";
import { payerColumnsOf } from "../vault/seal-payer.ts";
import { needsBalance, type PaidAmount, readPaidAmount } from "./paid-amount.ts";
import {
  GatewayError,
  type GatewayPayment,
  type ListedOrder,
  type OrderBalance,
  type PaymentGateway,
} from "./payment-gateway.ts";
import { reconcileOrders } from "./reconcile-orders.server.ts";
import { settleOrder } from "./settle-order.server.ts";

/** The clocks of the gateway and the shop may differ, and an order may be under way while the backup is made. */
const MARGIN_MS = HOUR;
const CONCURRENCY = 4;

/** Receipts of the shop are ids of purchases. Another program with the same keys has other receipts. */
const ownReceipt = z.uuid();

interface Reading {
  gateway: PaymentGateway;
  /** New captured payments of unknown orders. */
  found: number;
  /** An order could not be read, so the reading has to be repeated. */
  isIncomplete: boolean;
}

/**
 * Finds what buyers have paid between the backup and the restore: asks the gateway for all orders since the backup. Known
 * orders are settled. The captured payments of the others are stored for the admin. Payments that are only authorised are
 * left to the gateway, which returns them by itself, and refunded ones are skipped. Does nothing in a shop that was never
 * restored, and while no reading is due. A run that fails or is killed is repeated as a whole.
 *
 * @throws DomainError forbidden
 */
export async function readRestoredOrders(ctx: Context): Promise<{ found: number }> {
  requireSystem(ctx);
  const { gateway } = ctx.ports;
  const restored = gateway && (await readRestoredShop(ctx.db));
  if (!gateway || !restored || !mustReadOrders(restored, ctx.clock.now())) return { found: 0 };
  const beganAt = ctx.clock.now();
  const reading: Reading = { gateway, found: 0, isIncomplete: false };
  try {
    // Also orders from before the backup: an authorised payment has waited for the confirmation.
    await reconcileOrders(ctx, { all: true });
    const since = new Date(restored.backupAt.getTime() - MARGIN_MS);
    // The shop knows every later order.
    const { confirmedAt } = restored;
    const until = confirmedAt && new Date(confirmedAt.getTime() + MARGIN_MS);
    for await (const orders of gateway.listOrders({ since, until })) await readPage(ctx, reading, orders);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    ctx.log.warn({ err: error }, "the orders since the backup could not be read; trying again");
    return { found: reading.found };
  }
  if (!reading.isIncomplete) await recordOrdersRead(ctx.db, beganAt);
  ctx.log.info({ found: reading.found, isComplete: !reading.isIncomplete }, "orders since the backup read");
  return { found: reading.found };
}

async function readPage(
  ctx: AuthorisedContext,
  reading: Reading,
  orders: readonly ListedOrder[],
): Promise<void> {
  const tried = orders.filter(({ wasTried }) => wasTried);
  const known = await findKnownOrders(ctx, reading.gateway, tried);
  await forEachWithConcurrency(
    tried,
    CONCURRENCY,
    async (order) => {
      const { gatewayOrderId, receipt } = order;
      if (known.has(gatewayOrderId)) await settleOrder(ctx, { gatewayOrderId });
      else if (ownReceipt.safeParse(receipt).success && !known.has(receipt))
        await readUnknownOrder(ctx, reading, order);
      return true;
    },
    (error, { gatewayOrderId }) => {
      // The gateway would refuse again, so a refusal does not cause another reading.
      if (!(error instanceof GatewayError) || error.retryable) reading.isIncomplete = true;
      ctx.log.error({ err: error, gatewayOrderId }, "an order since the backup could not be read");
    },
  );
}

/** The gateway's ids of known orders, and the receipts of those whose id was lost: `reconcileOrders` finds these. */
async function findKnownOrders(
  ctx: AuthorisedContext,
  gateway: PaymentGateway,
  orders: readonly ListedOrder[],
): Promise<ReadonlySet<string | null>> {
  if (orders.length === 0) return new Set();
  const ids = orders.map(({ gatewayOrderId }) => gatewayOrderId);
  const receipts = orders.flatMap(({ receipt }) => receipt ?? []);
  const rows = await ctx.db
    .select({ gatewayOrderId: paymentOrders.gatewayOrderId, receipt: paymentOrders.receipt })
    .from(paymentOrders)
    .where(
      and(
        eq(paymentOrders.gateway, gateway.name),
        or(
          inArray(paymentOrders.gatewayOrderId, ids),
          and(isNull(paymentOrders.gatewayOrderId), inArray(paymentOrders.receipt, receipts)),
        ),
      ),
    );
  return new Set(rows.map(({ gatewayOrderId, receipt }) => gatewayOrderId ?? receipt));
}

async function readUnknownOrder(ctx: AuthorisedContext, reading: Reading, order: ListedOrder): Promise<void> {
  const { gatewayOrderId } = order;
  const captured = (await reading.gateway.fetchOrderPayments(gatewayOrderId)).filter(
    (payment) => payment.gatewayOrderId === gatewayOrderId && payment.status === "captured",
  );
  const balance = captured.some((payment) => needsBalance(order, payment))
    ? await readBalance(ctx, reading.gateway, gatewayOrderId)
    : null;
  for (const payment of captured) {
    const paid = readPaidAmount(order, payment, balance, ctx.clock.now());
    if (paid.pays === "undecided") reading.isIncomplete = true;
    else if (await storeUnknownPayment(ctx, reading.gateway, order, payment, paid)) reading.found++;
  }
}

/** @returns null when the gateway refuses the request: the payments are stored all the same */
async function readBalance(
  ctx: Context,
  gateway: PaymentGateway,
  gatewayOrderId: string,
): Promise<OrderBalance | null> {
  try {
    return await gateway.fetchOrderBalance(gatewayOrderId);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.retryable) throw error;
    ctx.log.warn({ err: error, gatewayOrderId }, "the balance of an unknown order could not be read");
    return null;
  }
}

/** @returns false when it was stored before, or an admin has recorded it as a sale by hand */
async function storeUnknownPayment(
  ctx: AuthorisedContext,
  { name, testMode }: PaymentGateway,
  { receipt, notes, ...order }: ListedOrder,
  payment: GatewayPayment,
  paid: PaidAmount,
): Promise<boolean> {
  const { gatewayPaymentId, gatewayOrderId, amountPaise, currency, method, email, phone } = payment;
  // Another run may have stored its order in the meantime.
  if ((await ctx.db.$count(paymentAttempts, eq(paymentAttempts.gatewayPaymentId, gatewayPaymentId))) > 0)
    return false;
  const isInReference = sql`position(${normaliseReference(gatewayPaymentId)} in ${credits.reference}) > 0`;
  if ((await ctx.db.$count(credits, isInReference)) > 0) return false;
  const now = ctx.clock.now();
  const id = uuidv7();
  const stored = await ctx.db
    .insert(unknownPayments)
    .values({
      id,
      ...payerColumnsOf(ctx.ports.cipher, { table: "unknown_payments", id, known: null }, payment),
      gateway: name,
      testMode,
      gatewayPaymentId,
      gatewayOrderId,
      receipt: receipt ?? "",
      amountPaise,
      ...(paid.pays === "order" && {
        orderAmountPaise: order.amountPaise,
        buyerFeePaise: paid.buyerFeePaise,
      }),
      currency,
      method,
      paidAt: payment.createdAt,
      email,
      phone,
      ...notes,
      refundedPaise: payment.refundedPaise ?? 0,
      createdAt: now,
      updatedAt: now,
    })
    .onConflictDoNothing()
    .returning({ id: unknownPayments.id });
  changed(ctx.db, unknownPayments);
  if (stored.length > 0)
    ctx.log.warn({ paymentId: gatewayPaymentId, amountPaise }, "a payment of an unknown order was found");
  return stored.length > 0;
}
