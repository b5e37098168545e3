import { eq } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { giveBackStock, takeStock } from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import {
  giveBackRedemption,
  spendRedemption,
  takeRedemptionAgain,
} from "../coupons/change-redemption.server.ts";
import { addDays } from "../time.ts";
import {
  nextMove,
  type PurchaseEvent,
  type PurchaseMove,
  type RefundReason,
  stateOf,
} from "./purchase-machine.ts";
import { lockPurchase, type Purchase } from "./queries.server.ts";
import { refundWords } from "./refund-words.ts";

export interface Moved {
  kind: PurchaseMove["kind"];
  /** As it is now. */
  purchase: Purchase;
  /** The captured payment has to go back. */
  refund: RefundReason | null;
}

interface Notes {
  errorMessage?: string;
  /** The unit of stock goes to the checkout that takes this one's place, without passing over the counter. */
  handsOnUnit?: boolean;
}

/**
 * Carries out what an event makes of a purchase that the caller has locked: its row, its unit of stock and its coupon
 * use. The one place where a purchase changes its state. An event that the state refuses is logged and changes nothing.
 *
 * @throws an exclusion violation when a pass would overlap another
 */
export async function movePurchase(
  ctx: Context,
  tx: Transaction,
  purchase: Purchase,
  event: PurchaseEvent,
  notes: Notes = {},
): Promise<Moved> {
  const state = stateOf(purchase, ctx.clock.now());
  const move = nextMove(state, event);
  if (move.kind !== "moves") {
    if (move.kind === "refused") {
      ctx.log.warn({ purchaseId: purchase.id, state, event: event.type, why: move.why }, "event refused");
    }
    return { kind: move.kind, purchase, refund: null };
  }
  if (move.unit === "takes-again") {
    const lost = await takeAgain(ctx, tx, purchase);
    if (lost) return movePurchase(ctx, tx, purchase, { type: "unit-gone", what: lost }, notes);
  }
  const changes = rowChanges(ctx, purchase, event, move, notes);
  const [written] = await tx
    .update(userPurchases)
    .set(changes)
    .where(eq(userPurchases.id, purchase.id))
    .returning();
  if (!written) throw new Error(`purchase ${purchase.id} is gone`);
  if (move.unit === "uses" && purchase.couponCode) await spendRedemption(ctx, tx, purchase.id);
  if (move.unit === "gives-back") await giveBack(tx, purchase, notes.handsOnUnit === true);
  return { kind: "moves", purchase: written, refund: move.refund ?? null };
}

/** Locks a purchase and moves it. @returns null when there is none */
export async function lockAndMove(
  ctx: Context,
  tx: Transaction,
  purchaseId: string,
  event: PurchaseEvent,
  notes: Notes = {},
): Promise<Moved | null> {
  const purchase = await lockPurchase(tx, purchaseId);
  return purchase && movePurchase(ctx, tx, purchase, event, notes);
}

type Row = Partial<typeof userPurchases.$inferInsert>;

function rowChanges(
  ctx: Context,
  purchase: Purchase,
  event: PurchaseEvent,
  move: Extract<PurchaseMove, { kind: "moves" }>,
  notes: Notes,
): Row {
  const now = ctx.clock.now();
  const stockState = stockStateAfter(purchase, move.unit);
  const left: Row = { status: "failed", holdEndsAt: null, holdNetwork: null, stockState };
  switch (move.to) {
    case "running":
      if (purchase.status === "completed" || purchase.status === "active") return { stockState };
      return {
        status: "completed",
        startsAt: now,
        capturedAt: now,
        expiresAt: addDays(now, purchase.validity),
        holdEndsAt: null,
        holdNetwork: null,
        stockState,
        failedReason: null,
        errorMessage: null,
      };
    case "let-go":
      return { ...left, failedReason: letGoReason(event), errorMessage: notes.errorMessage ?? null };
    case "replaced":
      return { ...left, failedReason: "replaced", errorMessage: null };
    case "paid-back":
      return {
        ...left,
        failedReason: "refunded",
        errorMessage: move.refund ? refundWords(move.refund) : purchase.errorMessage,
      };
    case "withdrawn":
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
  unit: Extract<PurchaseMove, { kind: "moves" }>["unit"],
): Purchase["stockState"] {
  if (unit === "uses" || unit === "takes-again") return "used";
  return unit === "gives-back" && stockState !== "none" ? "released" : stockState;
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
async function giveBack(tx: Transaction, purchase: Purchase, handsOnUnit: boolean): Promise<void> {
  if (purchase.couponCode) await giveBackRedemption(tx, purchase.id);
  const keeps = purchase.stockState === "held" || purchase.stockState === "used";
  if (keeps && !handsOnUnit && purchase.toolId) await giveBackStock(tx, purchase.toolId);
}

/** @returns what is not to be had any more, and then takes nothing */
async function takeAgain(
  ctx: Context,
  tx: Transaction,
  purchase: Purchase,
): Promise<"stock" | "coupon" | null> {
  if (purchase.couponCode && !(await takeRedemptionAgain(ctx, tx, purchase.id))) return "coupon";
  if (purchase.toolId && (await takeStock(tx, purchase.toolId))) return null;
  if (purchase.couponCode) await giveBackRedemption(tx, purchase.id);
  return "stock";
}
