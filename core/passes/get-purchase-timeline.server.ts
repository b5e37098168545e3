import { and, desc, eq, gte, inArray, lte, or, sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { type ToolServer, toolPageGrants, tools } from "#db/tables/catalog.ts";
import { auditEvents } from "#db/tables/operations.ts";
import {
  credits,
  paymentAttempts,
  paymentDisputes,
  paymentOrders,
  payouts,
  type Refund,
  refunds,
  webhookEvents,
} from "#db/tables/payments.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { openPayer, shortenPayer } from "../vault/seal-payer.ts";
import { type PurchaseState, purchaseStateOf } from "./purchase-states.ts";
import {
  entriesOfDispute,
  entriesOfOrder,
  entriesOfPayment,
  entriesOfPurchase,
  entriesOfRefund,
  orderTimeline,
  TIMELINE_LENGTH,
  type TimelineEntry,
} from "./purchase-timeline.ts";

const getPurchaseTimelineInput = z.object({ purchaseId: z.uuid("Purchase not found") });

interface Transfer {
  isGivenBack: boolean;
  way: (typeof credits.$inferSelect)["way"];
  reference: string | null;
  payerName: string | null;
}

export interface PurchaseTimeline {
  purchase: Omit<Purchase, "holdNetwork">;
  /** Its state now. */
  state: PurchaseState;
  /** The gateway of its payment order; null if there is none. */
  gateway: string | null;
  /** The payer of the last payment that names one: each value with its last four characters. */
  payer: string[];
  /** How it was paid and given back without a gateway. */
  transfers: Transfer[];
  /** Oldest first, at most 200. */
  entries: TimelineEntry[];
  /** How many older entries were left out. */
  leftOut: number;
}

/**
 * Everything about one purchase in the order of time: its own facts, its order, payments, refunds, the gateway's events,
 * what the buyer was shown with the pass, and its audit events. Also for a deleted purchase.
 *
 * @throws DomainError unauthenticated, forbidden, purchase-not-found, invalid-input
 */
export async function getPurchaseTimeline(
  ctx: Context,
  input: z.input<typeof getPurchaseTimelineInput> | UntrustedInput,
): Promise<PurchaseTimeline> {
  requireAdmin(ctx, "reads");
  const { purchaseId } = parseInput(getPurchaseTimelineInput, input);
  const found = await selectPurchase(ctx.db, purchaseId);
  if (!found) throw new DomainError("purchase-not-found");
  const now = ctx.clock.now();
  const payments = await selectPayments(ctx.db, purchaseId);
  const { gateway, gatewayOrderId } = payments?.order ?? {};
  const entries = [
    ...entriesOfPurchase(found, now),
    ...(payments ? entriesOfOrder(payments.order) : []),
    ...(payments?.attempts.flatMap((attempt) => entriesOfPayment(attempt, payments.order)) ?? []),
    ...(payments?.refunds.flatMap(entriesOfRefund) ?? []),
    ...(payments?.disputes.flatMap((dispute) => entriesOfDispute(dispute, payments.lostTwice)) ?? []),
    ...(gateway && gatewayOrderId ? await selectWebhookEvents(ctx.db, { gateway, gatewayOrderId }) : []),
    ...(await selectHandOuts(ctx.db, found)),
    ...(await selectAuditEntries(ctx.db, purchaseId)),
  ];
  const { holdNetwork: _network, ...purchase } = found;
  const paid = payments?.attempts.findLast(({ payerSealed }) => payerSealed !== null);
  return {
    purchase,
    state: purchaseStateOf(found, now),
    gateway: gateway ?? null,
    payer: paid?.payerSealed
      ? shortenPayer(openPayer(ctx.ports.cipher, "payment_attempts", paid.id, paid.payerSealed))
      : [],
    transfers: payments ? await selectTransfers(ctx.db, payments.order.id) : [],
    ...orderTimeline(entries),
  };
}

/** Audit actions by which a person gets, or uses in the extension, a secret of a tool page. */
const HAND_OUTS = ["access-code.revealed", "access-code.redeemed", "credential.revealed"];

const handOutDetails = z.object({
  page: z.string().nullable().catch(null),
  serverId: z.string().nullable().catch(null),
});

async function selectPurchase(executor: Executor, purchaseId: string): Promise<Purchase | null> {
  const [purchase] = await executor.select().from(userPurchases).where(eq(userPurchases.id, purchaseId));
  return purchase ?? null;
}

/*
 * Each function reads the newest rows and returns them oldest first: entries of the same moment stay in this order.
 */

const isMade = ({ status }: Refund) => status === "processing" || status === "processed";

/** The order of a purchase with its payments, their refunds and disputes; null without an order. */
async function selectPayments(executor: Executor, purchaseId: string) {
  const [order] = await executor.select().from(paymentOrders).where(eq(paymentOrders.purchaseId, purchaseId));
  if (!order) return null;
  const attempts = await executor
    .select()
    .from(paymentAttempts)
    .where(eq(paymentAttempts.orderId, order.id))
    .orderBy(desc(paymentAttempts.id))
    .limit(TIMELINE_LENGTH);
  const refundRows = await executor
    .select({ refund: refunds, paymentId: paymentAttempts.gatewayPaymentId })
    .from(refunds)
    .innerJoin(paymentAttempts, eq(paymentAttempts.id, refunds.attemptId))
    .where(eq(paymentAttempts.orderId, order.id))
    .orderBy(desc(refunds.id))
    .limit(TIMELINE_LENGTH);
  const disputes = await executor
    .select({ dispute: paymentDisputes })
    .from(paymentDisputes)
    .innerJoin(paymentAttempts, eq(paymentAttempts.gatewayPaymentId, paymentDisputes.gatewayPaymentId))
    .where(eq(paymentAttempts.orderId, order.id))
    .orderBy(desc(paymentDisputes.id))
    .limit(TIMELINE_LENGTH);
  return {
    order,
    attempts: attempts.toReversed(),
    refunds: refundRows.toReversed(),
    disputes: disputes.map(({ dispute }) => dispute).toReversed(),
    /** The gateway's ids of payments that were refunded and lost: more than was paid. */
    lostTwice: new Set(
      attempts
        .filter(({ id, amountPaise, lostPaise }) => {
          const made = refundRows.filter(({ refund }) => refund.attemptId === id && isMade(refund));
          return lostPaise + made.reduce((sum, { refund }) => sum + refund.amountPaise, 0) > amountPaise;
        })
        .map(({ gatewayPaymentId }) => gatewayPaymentId),
    ),
  };
}

async function selectTransfers(executor: Executor, orderId: string): Promise<Transfer[]> {
  const { way, reference, payerName } = credits;
  const received = await executor
    .select({ way, reference, payerName })
    .from(credits)
    .innerJoin(paymentAttempts, eq(paymentAttempts.id, credits.attemptId))
    .where(eq(paymentAttempts.orderId, orderId));
  const given = await executor
    .select({ way: payouts.way, reference: payouts.reference })
    .from(payouts)
    .innerJoin(refunds, eq(refunds.id, payouts.refundId))
    .innerJoin(paymentAttempts, eq(paymentAttempts.id, refunds.attemptId))
    .where(eq(paymentAttempts.orderId, orderId));
  return [
    ...received.map((one) => ({ ...one, isGivenBack: false })),
    ...given.flatMap(({ way: by, ...one }) =>
      by === null ? [] : [{ ...one, way: by, payerName: null, isGivenBack: true }],
    ),
  ];
}

async function selectWebhookEvents(
  executor: Executor,
  order: { gateway: string; gatewayOrderId: string },
): Promise<TimelineEntry[]> {
  const rows = await executor
    .select({
      at: webhookEvents.createdAt,
      type: webhookEvents.type,
      paymentId: webhookEvents.gatewayPaymentId,
      processedAt: webhookEvents.processedAt,
    })
    .from(webhookEvents)
    .where(
      and(eq(webhookEvents.gateway, order.gateway), eq(webhookEvents.gatewayOrderId, order.gatewayOrderId)),
    )
    .orderBy(desc(webhookEvents.id))
    .limit(TIMELINE_LENGTH);
  return rows.toReversed().map((row) => ({ kind: "gateway-event", ...row }));
}

async function selectAuditEntries(executor: Executor, purchaseId: string): Promise<TimelineEntry[]> {
  const rows = await executor
    .select({
      at: auditEvents.createdAt,
      action: auditEvents.action,
      actorKind: auditEvents.actorKind,
      actorId: auditEvents.actorId,
      details: auditEvents.details,
    })
    .from(auditEvents)
    .where(and(eq(auditEvents.subjectType, "purchase"), eq(auditEvents.subjectId, purchaseId)))
    .orderBy(desc(auditEvents.id))
    .limit(TIMELINE_LENGTH);
  return rows.toReversed().map((row) => ({ kind: "audit", ...row }));
}

/**
 * What the buyer was shown or redeemed on the pages that the pass opens, from the purchase until the end of the pass. An earlier
 * or later pass of the buyer is not part of it.
 */
async function selectHandOuts(executor: Executor, purchase: Purchase): Promise<TimelineEntry[]> {
  const { startsAt, expiresAt, endedAt } = purchase;
  if (!startsAt || !expiresAt) return [];
  const end = endedAt && endedAt < expiresAt ? endedAt : expiresAt;
  const pages = await selectPages(executor, purchase);
  if (pages.size === 0) return [];
  const rows = await executor
    .select({ at: auditEvents.createdAt, action: auditEvents.action, details: auditEvents.details })
    .from(auditEvents)
    .where(
      and(
        eq(auditEvents.actorId, purchase.userId),
        inArray(auditEvents.action, HAND_OUTS),
        inArray(sql`${auditEvents.details}->>'page'`, [...pages.keys()]),
        // An expired pass that was extended starts again, so its first start is not stored.
        gte(auditEvents.createdAt, purchase.createdAt < startsAt ? purchase.createdAt : startsAt),
        lte(auditEvents.createdAt, end),
      ),
    )
    .orderBy(desc(auditEvents.id))
    .limit(TIMELINE_LENGTH);
  return rows.toReversed().map(({ at, action, details }) => {
    const { page, serverId } = handOutDetails.parse({ page: details.page, serverId: details.serverId });
    const tool = pages.get(page ?? "");
    // A server that is not in the list of the tool any more has only its id.
    const serverName = tool?.servers.find(({ id }) => id === serverId)?.name ?? serverId;
    return { kind: "hand-out", at, action, toolName: tool?.name ?? page, serverName };
  });
}

interface Page {
  name: string;
  servers: ToolServer[];
}

/** The tool pages that a pass opens, by slug. */
async function selectPages(
  executor: Executor,
  { toolId, toolName }: Purchase,
): Promise<ReadonlyMap<string, Page>> {
  const granted = executor
    .select({ page: toolPageGrants.page })
    .from(toolPageGrants)
    .where(
      or(
        toolId ? eq(toolPageGrants.toolId, toolId) : undefined,
        eq(sql`lower(${toolPageGrants.toolName})`, toolName.toLowerCase()),
      ),
    );
  const rows = await executor
    .select({ slug: tools.slug, name: tools.name, servers: tools.servers })
    .from(tools)
    .where(or(toolId ? eq(tools.id, toolId) : undefined, inArray(tools.slug, granted)));
  return new Map(rows.map(({ slug, ...page }) => [slug, page]));
}
