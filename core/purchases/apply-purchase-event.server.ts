import { eq } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import { releaseStock, reserveStock } from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import {
  consumeRedemption,
  reacquireRedemption,
  releaseRedemption,
} from "../coupons/change-redemption.server.ts";
import { addDays } from "../time.ts";
import { lockPurchase } from "./lock-purchase.server.ts";
import {
  type PurchaseEvent,
  type PurchaseTransition,
  purchaseStateOf,
  purchaseTransition,
  type RefundReason,
} from "./purchase-machine.ts";
import { refundWords } from "./refund-messages.ts";

export interface AppliedEvent {
  kind: PurchaseTransition["kind"];
  /** As it is now. */
  purchase: Purchase;
  /** The captured payment has to go back. */
  refund: RefundReason | null;
}

interface Notes {
  errorMessage?: string;
  /** The unit of stock goes to the checkout that takes this one's place, without passing over the counter. */
  transfersStock?: boolean;
}

/**
 * Carries out what an event makes of a purchase that the caller has locked: its row, its unit of stock and its coupon
 * use. The one place where a purchase changes its state. An event that the state refuses is logged and changes nothing.
 *
 * @throws an exclusion violation when a pass would overlap another
 */
export async function applyPurchaseEvent(
  ctx: Context,
  tx: Transaction,
  purchase: Purchase,
  event: PurchaseEvent,
  notes: Notes = {},
): Promise<AppliedEvent> {
  const state = purchaseStateOf(purchase, ctx.clock.now());
  const move = purchaseTransition(state, event);
  if (move.kind !== "transition") {
    if (move.kind === "rejected") {
      ctx.log.warn({ purchaseId: purchase.id, state, event: event.type, why: move.why }, "event refused");
    }
    return { kind: move.kind, purchase, refund: null };
  }
  if (move.unit === "reacquire") {
    const lost = await takeAgain(ctx, tx, purchase);
    if (lost)
      return applyPurchaseEvent(ctx, tx, purchase, { type: "reservation-unavailable", what: lost }, notes);
  }
  const changes = rowChanges(ctx, purchase, event, move, notes);
  const [written] = await tx
    .update(userPurchases)
    .set(changes)
    .where(eq(userPurchases.id, purchase.id))
    .returning();
  if (!written) throw new Error(`purchase ${purchase.id} is gone`);
  if (move.unit === "consume" && purchase.couponCode) await consumeRedemption(ctx, tx, purchase.id);
  if (move.unit === "release") await giveBack(tx, purchase, notes.transfersStock === true);
  return { kind: "transition", purchase: written, refund: move.refund ?? null };
}

/** Locks a purchase and moves it. @returns null when there is none */
export async function lockAndApplyPurchaseEvent(
  ctx: Context,
  tx: Transaction,
  purchaseId: string,
  event: PurchaseEvent,
  notes: Notes = {},
): Promise<AppliedEvent | null> {
  const purchase = await lockPurchase(tx, purchaseId);
  return purchase && applyPurchaseEvent(ctx, tx, purchase, event, notes);
}

type Row = Partial<typeof userPurchases.$inferInsert>;

function rowChanges(
  ctx: Context,
  purchase: Purchase,
  event: PurchaseEvent,
  move: Extract<PurchaseTransition, { kind: "transition" }>,
  notes: Notes,
): Row {
  const now = ctx.clock.now();
  const stockState = stockStateAfter(purchase, move.unit);
  const left: Row = { status: "failed", holdEndsAt: null, holdNetwork: null, stockState };
  switch (move.to) {
    case "active":
      if (purchase.status === "completed" || purchase.status === "active") return { stockState };
      return {
        status: "completed",
        startsAt: now,
        capturedAt: now,
        expiresAt: addDays(now, purchase.validityDays),
        holdEndsAt: null,
        holdNetwork: null,
        stockState,
        failedReason: null,
        errorMessage: null,
      };
    case "hold-released":
      return { ...left, failedReason: letGoReason(event), errorMessage: notes.errorMessage ?? null };
    case "replaced":
      return { ...left, failedReason: "replaced", errorMessage: null };
    case "refunded":
      return {
        ...left,
        failedReason: "refunded",
        errorMessage: move.refund ? refundWords(move.refund) : purchase.errorMessage,
      };
    case "revoked":
      if (purchase.endedAt) return { stockState };
      return {
        ...(purchase.status === "pending" ? { ...left, failedReason: "closed" as const } : { stockState }),
        endedAt: now,
        endedReason: endedReason(event),
      };
    default:
      return { stockState };
  }
}

function stockStateAfter(
  { stockState }: Purchase,
  unit: Extract<PurchaseTransition, { kind: "transition" }>["unit"],
): Purchase["stockState"] {
  if (unit === "consume" || unit === "reacquire") return "used";
  return unit === "release" && stockState !== "none" ? "released" : stockState;
}

function letGoReason(event: PurchaseEvent): Purchase["failedReason"] {
  if (event.type === "hold-expired") return "hold-ended";
  return event.type === "order-refused" ? "gateway" : "closed";
}

function endedReason(event: PurchaseEvent): Purchase["endedReason"] {
  if (event.type === "payment-reversed") return "refunded";
  return event.type === "account-closed" ? "user-deleted" : "cancelled";
}

/** Only what is still kept goes back, so that two ends of one purchase give back once. Coupon before tool, as everywhere. */
async function giveBack(tx: Transaction, purchase: Purchase, transfersStock: boolean): Promise<void> {
  if (purchase.couponCode) await releaseRedemption(tx, purchase.id);
  const keeps = purchase.stockState === "held" || purchase.stockState === "used";
  if (keeps && !transfersStock && purchase.toolId) await releaseStock(tx, purchase.toolId);
}

/** @returns what is not to be had any more, and then takes nothing */
async function takeAgain(
  ctx: Context,
  tx: Transaction,
  purchase: Purchase,
): Promise<"stock" | "coupon" | null> {
  if (purchase.couponCode && !(await reacquireRedemption(ctx, tx, purchase.id))) return "coupon";
  if (purchase.toolId && (await reserveStock(tx, purchase.toolId))) return null;
  if (purchase.couponCode) await releaseRedemption(tx, purchase.id);
  return "stock";
}
