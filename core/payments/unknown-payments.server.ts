import { and, asc, eq, inArray, isNull, not, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { uuidv7 } from "uuidv7";
import { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { tools } from "#db/tables/catalog.ts";
import { type UnknownPayment, unknownPayments } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { changed, inTransaction, isExclusionViolation } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import { requireConfirmedShop } from "../backups/restored-shop.server.ts";
import { reserveStock } from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import { DomainError, InvalidInputError } from "../errors.ts";
import { queuePurchaseMail } from "../mail/queue-mail.server.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { acceptsTestPasses } from "../pass-validity.server.ts";
import { givePass } from "../passes/give-pass.server.ts";
import { takeOverUnconfirmed } from "../take-over-account.server.ts";
import { NO_PAYER, openPayer, shortenPayer } from "../vault/seal-payer.ts";
import { insertPaidOrder } from "./credits.server.ts";
import { selectDisputes } from "./disputes.server.ts";
import { holdsRefund } from "./payment-states.ts";
import { assignPaymentSchema, NO_ACCOUNT, refundPaymentSchema } from "./schemas.ts";

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
  /** The tools that a payment may be assigned to; empty without payments. */
  tools: Array<{ id: string; name: string; validityDays: number; availableStock: number }>;
}

const isOpen = sql`state in ('waiting', 'refunding')`;

/**
 * The unknown payments that are neither refunded nor assigned, the oldest first. The notes of the order say what was bought
 * and by whom. Without them the payer's address may be that of an account.
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
    tools: rows.length === 0 ? [] : await selectTools(ctx),
  };
}

function referencesOf({ ports }: Context, id: string, sealed: string): string[] {
  const payer = openPayer(ports.cipher, "unknown_payments", id, sealed);
  return shortenPayer({ ...payer, email: null, phone: null });
}

function selectTools(ctx: Context): Promise<UnknownPayments["tools"]> {
  return ctx.db
    .select({
      id: tools.id,
      name: tools.name,
      validityDays: tools.validityDays,
      availableStock: tools.availableStock,
    })
    .from(tools)
    .where(and(eq(tools.isActive, true), isNull(tools.deletedAt)))
    .orderBy(asc(sql`lower(${tools.name})`), asc(tools.id));
}

/** Locks an unknown payment that waits for an admin. @throws DomainError payment-not-found, payment-already-handled */
async function lockWaiting(tx: Transaction, id: string): Promise<UnknownPayment> {
  const [payment] = await tx.select().from(unknownPayments).where(eq(unknownPayments.id, id)).for("update");
  if (!payment) throw new DomainError("payment-not-found");
  if (payment.state !== "waiting") throw new DomainError("payment-already-handled", { state: payment.state });
  return payment;
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
    const payment = await lockWaiting(tx, id);
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
 * The admin assigns an unknown payment to a buyer: in one transaction the purchase with its pass that starts now, its payment
 * order and its payment with the outcome pass. It takes a unit of stock. The buyer gets the receipt. The purchase has
 * its old id, when the order names it. The order is polled soon: what the gateway reports about it since, such as a
 * refund or a second payment, is recorded as for every order. An account that has not paid it and that nobody has confirmed is
 * taken over first: somebody else may have signed up with the payer's address.
 *
 * @throws DomainError unauthenticated, forbidden, password-needed, invalid-input (also for an unknown account),
 *   shop-not-confirmed, payment-not-found, payment-already-handled, tool-out-of-stock, tool-not-found, already-owned,
 *   user-disabled
 */
export async function assignUnknownPayment(
  ctx: Context,
  input: z.input<typeof assignPaymentSchema> | UntrustedInput,
): Promise<{ purchaseId: string; toolName: string; email: string; isTakenOver: boolean }> {
  requireAdmin(ctx, "moves-money");
  const { id, email, toolId, validityDays } = parseInput(assignPaymentSchema, input);
  try {
    const assigned = await inTransaction(ctx.db, async (tx) => {
      await requireConfirmedShop(tx);
      const payment = await lockWaiting(tx, id);
      const userId = await findAccount(tx, email);
      // The order names the account that has paid. Any other one is found by its address alone.
      const takenOver = await takeOverUnconfirmed(ctx, tx, userId === payment.buyerId ? [] : [userId]);
      const { account, tool, ...given } = await givePass(ctx, tx, {
        userId,
        toolId,
        validityDays,
        source: "checkout",
        assignedBy: "admin",
        notes: "Paid before the restore from a backup, assigned by admin",
        stockState: "used",
        paid: {
          ...(await chooseNames(tx, payment)),
          amountPaise: priceOf(payment),
          currency: payment.currency,
          testMode: payment.testMode,
          at: payment.paidAt,
        },
      });
      const { purchaseId } = given;
      if (!(await reserveStock(ctx, tx, { toolId, purchaseId })))
        throw new DomainError("tool-out-of-stock", { tool: tool.name });
      await insertOrderOfUnknown(ctx, tx, payment, purchaseId);
      await recordAudit(ctx, tx, {
        action: "unknown-payment.assigned",
        subjectType: "purchase",
        subjectId: purchaseId,
        details: {
          paymentId: payment.gatewayPaymentId,
          amountPaise: payment.amountPaise,
          before: null,
          after: { userId, toolId, toolName: tool.name, expiresAt: given.expiresAt },
        },
      });
      await queuePurchaseMail(ctx, tx, "purchase-receipt", {
        id: purchaseId,
        userEmail: account.email,
        toolName: tool.name,
        testMode: payment.testMode,
      });
      return { purchaseId, toolName: tool.name, email: account.email, isTakenOver: takenOver.has(userId) };
    });
    ctx.ports.jobs.triggerSoon("send-mail");
    ctx.ports.jobs.triggerSoon("reconcile-orders");
    return assigned;
  } catch (error) {
    // A payment of the buyer became a pass for this tool at the same time.
    if (isExclusionViolation(error)) throw new DomainError("already-owned");
    throw error;
  }
}

/** @throws InvalidInputError when no account has the address */
async function findAccount(tx: Transaction, email: string): Promise<string> {
  const [account] = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.email, email), isNull(users.deletedAt)));
  if (!account) throw new InvalidInputError({ email: [NO_ACCOUNT] });
  return account.id;
}

/**
 * The id of the lost purchase, which is the receipt of its order, and its order number, which is a note of the order and which
 * its buyer may have in a mail. null: the purchase gets a new number.
 */
async function chooseNames(
  tx: Transaction,
  { receipt, orderNumber }: UnknownPayment,
): Promise<{ purchaseId: string; orderNumber: string | null }> {
  const isFree = async (condition: SQL) => (await tx.$count(userPurchases, condition)) === 0;
  const keepsId = z.uuid().safeParse(receipt).success && (await isFree(eq(userPurchases.id, receipt)));
  const keepsNumber = orderNumber !== null && (await isFree(eq(userPurchases.orderNumber, orderNumber)));
  return { purchaseId: keepsId ? receipt : uuidv7(), orderNumber: keepsNumber ? orderNumber : null };
}

/** A payment that does not pay its order is its own price: an admin has decided to accept it. */
const priceOf = ({ orderAmountPaise, amountPaise }: UnknownPayment) => orderAmountPaise ?? amountPaise;

/**
 * Other payments of the same order are now payments of a known order too: a poll settles them, which refunds what was paid
 * twice.
 */
async function insertOrderOfUnknown(
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
 * verified finds no payment: it may be that of somebody else. The caller authorises.
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
