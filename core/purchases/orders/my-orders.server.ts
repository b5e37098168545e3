import { and, desc, eq, inArray, isNull, ne, or, type SQL } from "drizzle-orm";
import { z } from "zod";
import { paymentAttempts, paymentOrders, refunds } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { requireSignedIn } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { CORE_MESSAGES, DomainError } from "../../errors.ts";
import { parseInput, type UntrustedInput } from "../../parse.ts";
import type { MyOrder } from "./my-order.ts";
import { orderStatus } from "./order-status.ts";

/** The orders that a buyer sees: all but those that an admin has deleted. */
function isOrderOf(userId: string): SQL | undefined {
  return and(
    eq(userPurchases.userId, userId),
    or(isNull(userPurchases.endedReason), ne(userPurchases.endedReason, "deleted")),
  );
}

/** Orders with their payments and refunds, newest first. */
async function selectOrders(
  ctx: Context,
  input: { where: SQL | undefined; limit: number; offset?: number },
): Promise<MyOrder[]> {
  const rows = await ctx.db
    .select({
      id: userPurchases.id,
      toolName: userPurchases.toolName,
      optionLabel: userPurchases.optionLabel,
      validityDays: userPurchases.validityDays,
      listPricePaise: userPurchases.listPricePaise,
      discountPaise: userPurchases.discountPaise,
      couponCode: userPurchases.couponCode,
      amountPaise: userPurchases.amountPaise,
      source: userPurchases.source,
      testMode: userPurchases.testMode,
      startsAt: userPurchases.startsAt,
      expiresAt: userPurchases.expiresAt,
      endedAt: userPurchases.endedAt,
      createdAt: userPurchases.createdAt,
      status: userPurchases.status,
      endedReason: userPurchases.endedReason,
    })
    .from(userPurchases)
    .where(input.where)
    .orderBy(desc(userPurchases.createdAt), desc(userPurchases.id))
    .limit(input.limit)
    .offset(input.offset ?? 0);
  const payments = await selectPayments(
    ctx,
    rows.map(({ id }) => id),
  );
  return rows.map(({ endedReason, status, ...row }) => {
    const { paymentSeen, uncaptured, ...money } = summarise(
      payments.filter(({ purchaseId }) => purchaseId === row.id),
    );
    const facts = { ...row, status, endedReason, refunds: money.refunds, paymentSeen, uncaptured };
    return { ...row, ...money, status: orderStatus(facts, ctx.clock.now()) };
  });
}

type PaymentRow = Awaited<ReturnType<typeof selectPayments>>[number];

/** Every payment of the purchases, oldest first, each with its refund. */
function selectPayments(ctx: Context, purchaseIds: readonly string[]) {
  return (
    ctx.db
      .select({
        purchaseId: paymentOrders.purchaseId,
        gateway: paymentOrders.gateway,
        gatewayPaymentId: paymentAttempts.gatewayPaymentId,
        method: paymentAttempts.method,
        status: paymentAttempts.status,
        outcome: paymentAttempts.outcome,
        uncapturedReason: paymentAttempts.uncapturedReason,
        errorDescription: paymentAttempts.errorDescription,
        amountPaise: paymentAttempts.amountPaise,
        refundedPaise: paymentAttempts.refundedPaise,
        capturedAt: paymentAttempts.capturedAt,
        updatedAt: paymentAttempts.updatedAt,
        refund: { status: refunds.status, amountPaise: refunds.amountPaise, at: refunds.updatedAt },
      })
      .from(paymentAttempts)
      .innerJoin(paymentOrders, eq(paymentOrders.id, paymentAttempts.orderId))
      .leftJoin(refunds, eq(refunds.attemptId, paymentAttempts.id))
      .where(inArray(paymentOrders.purchaseId, [...purchaseIds]))
      // Keys are UUIDv7, so they are in the order of creation.
      .orderBy(paymentAttempts.id, refunds.id)
  );
}

function summarise(
  rows: readonly PaymentRow[],
): Pick<MyOrder, "payments" | "refunds" | "declined"> & { paymentSeen: boolean; uncaptured: boolean } {
  const isUncaptured = ({ status, uncapturedReason }: PaymentRow) =>
    status === "authorized" && uncapturedReason !== null;
  // A payment with two refunds has two rows.
  const captured = rows.filter(
    ({ status, gatewayPaymentId }, at) =>
      status === "captured" && rows[at - 1]?.gatewayPaymentId !== gatewayPaymentId,
  );
  const last = rows.at(-1);
  return {
    declined:
      captured.length === 0 && last?.status === "failed"
        ? (last.errorDescription ?? "The payment was declined.")
        : null,
    paymentSeen: rows.some(
      (row) => row.status === "captured" || (row.status === "authorized" && !isUncaptured(row)),
    ),
    uncaptured: rows.some(isUncaptured),
    payments: captured.map(({ gateway, gatewayPaymentId, method, amountPaise, capturedAt, updatedAt }) => ({
      ...{ gateway, gatewayPaymentId, method, amountPaise },
      paidAt: capturedAt ?? updatedAt,
    })),
    refunds: rows.flatMap(({ outcome, refund, refundedPaise, updatedAt }) => {
      if (refund) return [refund];
      if (outcome === null || refundedPaise === 0) return [];
      // A partial refund that the owner made on the gateway's pages has no row in `refunds`.
      return [{ status: "processed" as const, amountPaise: refundedPaise, at: updatedAt }];
    }),
  };
}

/** Orders of one page. */
const ORDERS_PER_PAGE = 10;

const inputSchema = z.object({ page: z.coerce.number().int().min(1).max(100_000).catch(1) });

export interface MyOrders {
  /** Newest first. */
  orders: MyOrder[];
  /** From 1. The last page there is, when a later one was asked for. */
  page: number;
  pages: number;
  total: number;
}

/**
 * One page of the orders of the signed-in person, whatever became of them. Orders that an admin has deleted are left out.
 *
 * @param input `page` from 1; anything else is the first page
 * @throws DomainError unauthenticated
 */
export async function listMyOrders(
  ctx: Context,
  input: Readonly<Record<string, unknown>>,
): Promise<MyOrders> {
  const { userId } = requireSignedIn(ctx, "reads");
  const where = isOrderOf(userId);
  const total = await ctx.db.$count(userPurchases, where);
  const pages = Math.max(1, Math.ceil(total / ORDERS_PER_PAGE));
  const page = Math.min(inputSchema.parse(input).page, pages);
  const offset = (page - 1) * ORDERS_PER_PAGE;
  return { orders: await selectOrders(ctx, { where, limit: ORDERS_PER_PAGE, offset }), page, pages, total };
}

const getMyOrderInput = z.object({ purchaseId: z.uuid(CORE_MESSAGES["purchase-not-found"]) });

/**
 * One order of the signed-in person, for its receipt. An order of somebody else is 'purchase-not-found', also for an admin.
 *
 * @throws DomainError unauthenticated, purchase-not-found, invalid-input
 */
export async function getMyOrder(
  ctx: Context,
  input: z.input<typeof getMyOrderInput> | UntrustedInput,
): Promise<MyOrder> {
  const { userId } = requireSignedIn(ctx, "reads");
  const { purchaseId } = parseInput(getMyOrderInput, input);
  const where = and(eq(userPurchases.id, purchaseId), isOrderOf(userId));
  const [order] = await selectOrders(ctx, { where, limit: 1 });
  if (order === undefined) throw new DomainError("purchase-not-found");
  return order;
}
