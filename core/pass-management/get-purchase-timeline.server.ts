import { z } from "zod";
import type { Purchase } from "#db/tables/purchases.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { type PurchaseState, purchaseStateOf } from "../purchases/purchase-machine.ts";
import {
  entriesOfOrder,
  entriesOfPayment,
  entriesOfPurchase,
  entriesOfRefund,
  orderTimeline,
  type TimelineEntry,
} from "./purchase-timeline.ts";
import {
  selectAuditEntries,
  selectHandOuts,
  selectPayments,
  selectPurchase,
  selectWebhookEvents,
} from "./timeline-queries.server.ts";

const getPurchaseTimelineInput = z.object({ purchaseId: z.uuid("Purchase not found") });

export interface PurchaseTimeline {
  purchase: Omit<Purchase, "holdNetwork">;
  /** Its state now. */
  state: PurchaseState;
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
    ...(payments?.attempts.flatMap(entriesOfPayment) ?? []),
    ...(payments?.refunds.flatMap(entriesOfRefund) ?? []),
    ...(gateway && gatewayOrderId ? await selectWebhookEvents(ctx.db, { gateway, gatewayOrderId }) : []),
    ...(await selectHandOuts(ctx.db, found)),
    ...(await selectAuditEntries(ctx.db, purchaseId)),
  ];
  const { holdNetwork: _network, ...purchase } = found;
  return { purchase, state: purchaseStateOf(found, now), ...orderTimeline(entries) };
}
