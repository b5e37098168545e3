import { and, asc, type Column, eq, inArray, isNull, not, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { uuidv7 } from "uuidv7";
import { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { tools } from "#db/tables/catalog.ts";
import { paymentAttempts, type UnknownPayment, unknownPayments } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import { requireConfirmedShop } from "../backups/restored-shop.server.ts";
import type { Context } from "../context.ts";
import { DomainError, InvalidInputError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { acceptsTestPasses } from "../pass-validity.server.ts";
import { NO_PAYER, openPayer, shortenPayer } from "../vault/seal-payer.ts";
import { insertPaidOrder } from "./credits.server.ts";
import { selectDisputes } from "./disputes.server.ts";
import { holdsRefund } from "./payment-states.ts";
import { REFERENCE_TAKEN, refundPaymentSchema } from "./schemas.ts";

const LISTED = 20;

type User = typeof users.$inferSelect;

/** A payment of an order that a restored shop does not know. */
export interface ListedUnknownPayment
  extends Pick<
    UnknownPayment,
    | "id"
    | "gatewayPaymentId"
    | "amountPaise"
    | "orderAmountPaise"
    | "paidAt"
    | "email"
    | "phone"
    | "lastError"
    | "testMode"
  > {
  state: "waiting" | "refunding";
  /** What the banks call it and the payer's UPI address, each with its last four characters. */
  references: string[];
  /** What the lost purchase probably was; null: not known. */
  suggested: {
    email: string | null;
    toolId: string | null;
    toolName: string | null;
    validityDays: number | null;
  };
}

export interface UnknownPayments {
  /** The oldest 20 of `total`. */
  payments: ListedUnknownPayment[];
  total: number;
}

const isOpen = sql`state in ('waiting', 'refunding')`;

/**
 * The unknown payments that are neither refunded nor assigned, the oldest first. The notes of the order say what was bought
 * and by whom. Without them the payer's address may belong to an account.
 *
 * @throws DomainError unauthenticated, forbidden
 */
export async function listUnknownPayments(ctx: Context): Promise<UnknownPayments> {
  requireAdmin(ctx, "reads");
  const payer = alias(users, "payer");
  const rows = await ctx.db
    .select({
      payment: unknownPayments,
      buyerEmail: users.email,
      payerEmail: payer.email,
      toolId: tools.id,
      toolName: tools.name,
      validityDays: tools.validityDays,
      total: sql<number>`count(*) over ()`.mapWith(Number),
    })
    .from(unknownPayments)
    .leftJoin(users, and(eq(sql`${users.id}::text`, unknownPayments.buyerId), isNull(users.deletedAt)))
    .leftJoin(payer, and(eq(payer.email, sql`lower(${unknownPayments.email})`), isNull(payer.deletedAt)))
    .leftJoin(
      tools,
      and(eq(tools.slug, unknownPayments.toolSlug), eq(tools.isActive, true), isNull(tools.deletedAt)),
    )
    .where(and(isOpen, acceptsTestPasses(ctx) ? undefined : eq(unknownPayments.testMode, false)))
    .orderBy(asc(unknownPayments.paidAt), asc(unknownPayments.id))
    .limit(LISTED);
  return {
    payments: rows.map(({ payment, ...row }) => ({
      id: payment.id,
      gatewayPaymentId: payment.gatewayPaymentId,
      amountPaise: payment.amountPaise,
      orderAmountPaise: payment.orderAmountPaise,
      paidAt: payment.paidAt,
      email: payment.email,
      phone: payment.phone,
      lastError: payment.lastError,
      testMode: payment.testMode,
      state: payment.state === "refunding" ? "refunding" : "waiting",
      references: payment.payerSealed ? referencesOf(ctx, payment.id, payment.payerSealed) : [],
      suggested: {
        email: row.buyerEmail ?? row.payerEmail,
        toolId: row.toolId,
        toolName: row.toolName,
        validityDays: payment.validityDays ?? row.validityDays,
      },
    })),
    total: rows[0]?.total ?? 0,
  };
}

function referencesOf({ ports }: Context, id: string, sealed: string): string[] {
  const payer = openPayer(ports.cipher, "unknown_payments", id, sealed);
  return shortenPayer({ ...payer, email: null, phone: null });
}

/** Locks an unknown payment, which must wait for an admin. @throws DomainError payment-already-handled */
async function lockWaiting(tx: Transaction, condition: SQL): Promise<UnknownPayment | null> {
  const [payment] = await tx.select().from(unknownPayments).where(condition).for("update");
  if (payment && payment.state !== "waiting")
    throw new DomainError("payment-already-handled", { state: payment.state });
  return payment ?? null;
}

/**
 * The admin refunds an unknown payment. The job `process-refunds` sends it to the gateway until it is final. When the
 * gateway gives up, the payment waits for the admin again.
 *
 * @returns the amount in paise
 * @throws DomainError unauthenticated, forbidden, password-needed, invalid-input, shop-not-confirmed, payment-not-found,
 *   payment-already-handled
 */
export async function refundUnknownPayment(
  ctx: Context,
  input: z.input<typeof refundPaymentSchema> | UntrustedInput,
): Promise<{ amountPaise: number }> {
  requireAdmin(ctx, "moves-money");
  const { id } = parseInput(refundPaymentSchema, input);
  const amountPaise = await inTransaction(ctx.db, async (tx) => {
    await requireConfirmedShop(tx);
    const payment = await lockWaiting(tx, eq(unknownPayments.id, id));
    if (!payment) throw new DomainError("payment-not-found");
    const disputes = await selectDisputes(tx, [payment]);
    // The bank may pay the payer back too.
    if (disputes.some(holdsRefund)) throw new DomainError("payment-disputed");
    await tx
      .update(unknownPayments)
      .set({
        state: "refunding",
        // A new one each time: with the key of a refund that has failed, the gateway would return that refund.
        idempotencyKey: `refund-${id}-${uuidv7()}`,
        gatewayRefundId: null,
        tries: 0,
        lastError: null,
        updatedAt: ctx.clock.now(),
      })
      .where(eq(unknownPayments.id, id));
    changed(tx, unknownPayments);
    await recordAudit(ctx, tx, {
      action: "unknown-payment.refunded",
      subjectType: "unknown-payment",
      subjectId: id,
      details: { paymentId: payment.gatewayPaymentId, amountPaise: payment.amountPaise },
    });
    return payment.amountPaise;
  });
  ctx.ports.jobs.triggerSoon("process-refunds");
  return { amountPaise };
}

/**
 * Locks the unknown payment whose id at the gateway is in a reference typed by an admin (see `normaliseReference`), also with
 * words or as a link, until the sale that it pays is stored.
 *
 * @returns null when the reference names no payment of the gateway
 * @throws DomainError payment-already-handled; invalid-input when the payment is known
 */
export async function lockUnknownPayment(
  tx: Transaction,
  reference: string | null,
): Promise<UnknownPayment | null> {
  if (reference === null) return null;
  const unknown = await lockWaiting(tx, isNamedIn(reference, unknownPayments.gatewayPaymentId));
  if (
    unknown === null &&
    (await tx.$count(paymentAttempts, isNamedIn(reference, paymentAttempts.gatewayPaymentId))) > 0
  )
    throw new InvalidInputError({ reference: [REFERENCE_TAKEN] });
  return unknown;
}

/** Whether the id of a payment, in the form of a reference, is a part of the reference. It is too long to be there by chance. */
const isNamedIn = (reference: string, id: Column): SQL =>
  sql`position(upper(translate(${id}, '_-', '')) in ${reference}) > 0`;

/**
 * What the purchase of an unknown payment keeps: its id, which is the receipt of the order, and its order number, which is a note
 * of the order and which the buyer may have in a mail (null: it gets a new number); the price, and when it was paid.
 */
export async function describeLostPurchase(tx: Transaction, payment: UnknownPayment) {
  const { receipt, orderNumber, currency, testMode, paidAt } = payment;
  const isFree = async (condition: SQL) => (await tx.$count(userPurchases, condition)) === 0;
  const keepsId = z.uuid().safeParse(receipt).success && (await isFree(eq(userPurchases.id, receipt)));
  const keepsNumber = orderNumber !== null && (await isFree(eq(userPurchases.orderNumber, orderNumber)));
  return {
    purchaseId: keepsId ? receipt : uuidv7(),
    orderNumber: keepsNumber ? orderNumber : null,
    amountPaise: priceOf(payment),
    currency,
    testMode,
    at: paidAt,
  };
}

/** A payment that does not pay its order is its own price: an admin has decided to accept it. */
const priceOf = ({ orderAmountPaise, amountPaise }: UnknownPayment) => orderAmountPaise ?? amountPaise;

/**
 * Stores a locked unknown payment with its order as the payment of a purchase that was just given. Other payments of the same
 * order are now payments of a known order too. The order is polled soon: what the gateway reports about it since, such as a refund
 * or a second payment, is recorded as for every order.
 */
export async function assignUnknownPayment(
  ctx: Context,
  tx: Transaction,
  payment: UnknownPayment,
  purchaseId: string,
): Promise<void> {
  const now = ctx.clock.now();
  const { gateway, gatewayOrderId, testMode, currency, paidAt } = payment;
  await insertPaidOrder(tx, {
    order: {
      purchaseId,
      gateway,
      gatewayOrderId,
      amountPaise: priceOf(payment),
      currency,
      testMode,
      nextPollAt: now,
    },
    payment: {
      gatewayPaymentId: payment.gatewayPaymentId,
      amountPaise: payment.amountPaise,
      buyerFeePaise: payment.buyerFeePaise,
      refundedPaise: payment.refundedPaise,
      method: payment.method,
    },
    at: paidAt,
  });
  await tx
    .update(unknownPayments)
    .set({ state: "assigned", purchaseId, lastError: null, updatedAt: now })
    .where(
      and(
        eq(unknownPayments.gateway, gateway),
        eq(unknownPayments.gatewayOrderId, gatewayOrderId),
        eq(unknownPayments.state, "waiting"),
      ),
    );
  changed(tx, unknownPayments);
}

/**
 * Removes the address and number of a payer whose account is deleted. The amounts stay. A payment that still waits for an admin
 * keeps both, because they say whose it is; after the refund or assignment, `purgeExpired` removes them. An address that was not
 * verified finds no payment: it may belong to somebody else.
 */
export async function forgetPayer(
  tx: Transaction,
  { id: userId, email, emailVerified }: Pick<User, "id" | "email" | "emailVerified">,
): Promise<void> {
  const purchases = tx
    .select({ id: userPurchases.id })
    .from(userPurchases)
    .where(eq(userPurchases.userId, userId));
  await tx
    .update(unknownPayments)
    .set({ email: null, phone: null, ...NO_PAYER })
    .where(
      and(
        not(isOpen),
        or(
          eq(unknownPayments.buyerId, userId),
          inArray(unknownPayments.purchaseId, purchases),
          emailVerified ? eq(sql`lower(${unknownPayments.email})`, email) : undefined,
        ),
      ),
    );
  changed(tx, unknownPayments);
}
