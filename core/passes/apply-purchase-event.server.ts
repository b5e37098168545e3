import { eq } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { prepareStatement, prepareWrite, valueFor, valuesFor } from "#db/prepared-statement.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import { lockStock, releaseStock, reserveStock } from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import {
  consumeRedemption,
  lockReleasedRedemption,
  reacquireRedemption,
  releaseRedemption,
} from "../coupons/redeem-coupons.server.ts";
import { DomainError } from "../errors.ts";
import { type RefundReason, refundMessage } from "../refund-reasons.ts";
import { addDays } from "../time.ts";
import {
  type CaptureFacts,
  type PurchaseEvent,
  type PurchaseState,
  type PurchaseTransition,
  purchaseStateOf,
  purchaseTransition,
  type ReservationChange,
} from "./purchase-states.ts";
import { lockRenewedPass, moveRenewal } from "./renewals.server.ts";

/** The caller knows all facts about a captured payment but one: what of a released reservation can be reacquired. */
export type UnappliedEvent =
  | Exclude<PurchaseEvent, { type: "captured" }>
  | ({ type: "captured" } & Omit<CaptureFacts, "unavailable">);

/** What an event does to a purchase. It stays valid until the end of the transaction, which holds the locks. */
interface DecidedEvent {
  event: PurchaseEvent;
  /** Its state before the event. */
  state: PurchaseState;
  transition: PurchaseTransition;
  /** When a renewal starts; null: now. */
  startsAt: Date | null;
}

interface AppliedEvent {
  kind: PurchaseTransition["kind"];
  /** Its state after the event. */
  purchase: Purchase;
  /** Why the captured payment has to be refunded; null: it does not. */
  refund: RefundReason | null;
}

interface Options {
  errorMessage?: string;
  /** The checkout that replaces this one gets its unit of stock, so the tool's counter does not change. */
  transfersStock?: boolean;
}

/**
 * Decides what an event does to a purchase that the caller has locked, and writes nothing. For a captured payment, it locks what
 * a released reservation would need and finds whether that is available. A renewal starts when the active pass ends.
 *
 * @throws DomainError renewal-waiting
 */
export async function decidePurchaseEvent(
  ctx: Context,
  tx: Transaction,
  purchase: Purchase,
  unapplied: UnappliedEvent,
): Promise<DecidedEvent> {
  // Passes are locked before coupons and tools.
  const isPaid = unapplied.type === "captured" || unapplied.type === "granted";
  const renewed = isPaid && purchase.isRenewal ? await lockRenewedPass(ctx, tx, purchase) : null;
  if (unapplied.type === "granted" && renewed?.hasRenewal) throw new DomainError("renewal-waiting");
  const event =
    unapplied.type === "captured"
      ? {
          ...unapplied,
          hasActivePass: unapplied.hasActivePass || renewed?.hasRenewal === true,
          unavailable: await findUnavailable(ctx, tx, purchase),
        }
      : unapplied;
  const state = purchaseStateOf(purchase, ctx.clock.now());
  return { event, state, transition: purchaseTransition(state, event), startsAt: renewed?.endsAt ?? null };
}

/**
 * Applies an event to a purchase that the caller has locked: decides, and changes its row, its unit of stock and its coupon use.
 * This is the only place where a purchase changes its state. When an active pass is revoked, the renewal that waits for its end
 * starts now and keeps its days, unless the account is closed. An event that the state rejects is logged and changes nothing.
 *
 * @throws an exclusion violation when a pass would overlap another; DomainError renewal-waiting
 */
export async function applyPurchaseEvent(
  ctx: Context,
  tx: Transaction,
  purchase: Purchase,
  unapplied: UnappliedEvent,
  options: Options = {},
): Promise<AppliedEvent> {
  const { event, state, transition, startsAt } = await decidePurchaseEvent(ctx, tx, purchase, unapplied);
  if (transition.kind !== "transition") {
    if (transition.kind === "rejected") {
      ctx.log.warn(
        { purchaseId: purchase.id, state, event: event.type, why: transition.why },
        "purchase event rejected",
      );
    }
    return { kind: transition.kind, purchase, refund: null };
  }
  if (transition.reservation === "reacquire") await reacquireReservation(ctx, tx, purchase);
  const changes = changesOf(ctx, purchase, event, transition, { ...options, startsAt });
  const [updated] = await updatePurchase(tx, { ...purchase, ...changes, updatedAt: ctx.clock.now() });
  if (!updated) throw new Error(`purchase ${purchase.id} does not exist`);
  if (transition.to === "revoked" && state === "active" && event.type !== "account-closed") {
    const now = ctx.clock.now();
    await moveRenewal(
      ctx,
      tx,
      purchase,
      purchase.startsAt && purchase.startsAt > now ? purchase.startsAt : now,
    );
  }
  if (transition.reservation === "consume" && purchase.couponCode) {
    await consumeRedemption(ctx, tx, purchase.id);
  }
  if (transition.reservation === "release") {
    await releaseReservation(ctx, tx, purchase, options.transfersStock === true);
  }
  return { kind: "transition", purchase: updated, refund: transition.refund ?? null };
}

/** Every column that an event may change. The row is locked, so unchanged columns are written as they were read. */
const updatePurchase = prepareWrite("change-purchase", userPurchases, (tx) =>
  tx
    .update(userPurchases)
    .set({
      ...valuesFor(userPurchases, [
        "status",
        "stockState",
        "startsAt",
        "capturedAt",
        "expiresAt",
        "updatedAt",
      ]),
      ...valuesFor(userPurchases, ["holdEndsAt", "holdNetwork", "failedReason", "errorMessage"]),
      ...valuesFor(userPurchases, ["endedAt", "endedReason"]),
    })
    .where(eq(userPurchases.id, valueFor(userPurchases.id, "id")))
    .returning(),
);

/** Reads a purchase and locks its row until the end of the transaction. */
export async function lockPurchase(tx: Transaction, purchaseId: string): Promise<Purchase | null> {
  const [purchase] = await selectForUpdate(tx, { purchaseId });
  return purchase ?? null;
}

const selectForUpdate = prepareStatement("lock-purchase", (tx) =>
  tx
    .select()
    .from(userPurchases)
    .where(eq(userPurchases.id, valueFor(userPurchases.id, "purchaseId")))
    .for("update"),
);

/** Locks a purchase and applies an event to it. @returns null when there is no such purchase */
export async function lockAndApplyPurchaseEvent(
  ctx: Context,
  tx: Transaction,
  purchaseId: string,
  event: UnappliedEvent,
): Promise<AppliedEvent | null> {
  const purchase = await lockPurchase(tx, purchaseId);
  return purchase && applyPurchaseEvent(ctx, tx, purchase, event);
}

type Row = Partial<
  Pick<
    Purchase,
    | "status"
    | "stockState"
    | "startsAt"
    | "capturedAt"
    | "expiresAt"
    | "holdEndsAt"
    | "holdNetwork"
    | "failedReason"
    | "errorMessage"
    | "endedAt"
    | "endedReason"
  >
>;

function changesOf(
  ctx: Context,
  purchase: Purchase,
  event: PurchaseEvent,
  { to, reservation, refund }: Extract<PurchaseTransition, { kind: "transition" }>,
  options: Options & { startsAt: Date | null },
): Row {
  const now = ctx.clock.now();
  const stockState = stockStateAfter(purchase, reservation);
  const failed: Row = { status: "failed", holdEndsAt: null, holdNetwork: null, stockState };
  switch (to) {
    case "active":
      if (purchase.status === "completed" || purchase.status === "active") return { stockState };
      return {
        status: "completed",
        startsAt: options.startsAt ?? now,
        capturedAt: now,
        expiresAt: addDays(options.startsAt ?? now, purchase.validityDays),
        holdEndsAt: null,
        holdNetwork: null,
        stockState,
        failedReason: null,
        errorMessage: null,
      };
    case "hold-released":
      return { ...failed, failedReason: failedReasonOf(event), errorMessage: options.errorMessage ?? null };
    case "replaced":
      return { ...failed, failedReason: "replaced", errorMessage: null };
    case "refunded":
      return {
        ...failed,
        failedReason: "refunded",
        errorMessage: refund ? refundMessage(refund) : purchase.errorMessage,
      };
    case "revoked":
      if (purchase.endedAt) return event.type === "deleted" ? { endedReason: "deleted" } : { stockState };
      return {
        ...(purchase.status === "pending" ? { ...failed, failedReason: "closed" as const } : { stockState }),
        endedAt: now,
        endedReason: endedReasonOf(event),
      };
    default:
      return { stockState };
  }
}

function stockStateAfter({ stockState }: Purchase, reservation: ReservationChange): Purchase["stockState"] {
  if (reservation === "consume" || reservation === "reacquire") return "used";
  return reservation === "release" && stockState !== "none" ? "released" : stockState;
}

function failedReasonOf(event: PurchaseEvent): Purchase["failedReason"] {
  if (event.type === "hold-expired") return "hold-ended";
  return event.type === "order-refused" ? "gateway" : "closed";
}

function endedReasonOf(event: PurchaseEvent): Purchase["endedReason"] {
  if (event.type === "payment-reversed") return "refunded";
  if (event.type === "charged-back") return event.type;
  if (event.type === "deleted") return "deleted";
  return event.type === "account-closed" ? "user-deleted" : "cancelled";
}

/**
 * Releases only what is still reserved, so that a purchase that ends twice releases it once. Coupons are locked before
 * tools, as in every transaction.
 */
async function releaseReservation(
  ctx: Context,
  tx: Transaction,
  purchase: Purchase,
  transfersStock: boolean,
): Promise<void> {
  if (purchase.couponCode) await releaseRedemption(tx, purchase.id);
  const isReserved = purchase.stockState === "held" || purchase.stockState === "used";
  if (isReserved && !transfersStock && purchase.toolId) {
    await releaseStock(ctx, tx, purchase.toolId);
  }
}

/** Reacquires the coupon use and the unit. `findUnavailable` has locked both rows and found them available. */
async function reacquireReservation(ctx: Context, tx: Transaction, purchase: Purchase): Promise<void> {
  const hasRedemption = !purchase.couponCode || (await reacquireRedemption(ctx, tx, purchase.id));
  const { id: purchaseId, toolId } = purchase;
  const hasStock = toolId !== null && (await reserveStock(ctx, tx, { toolId, purchaseId }));
  if (!hasRedemption || !hasStock) {
    throw new Error(`the released reservation of purchase ${purchase.id} is not available`);
  }
}

/**
 * The part of a purchase's released reservation that cannot be reacquired. Locks the coupon and the tool, in this
 * order, so that the result stays valid until the end of the transaction. The caller has locked the purchase.
 *
 * @returns null when all of it is available, or when nothing was released
 */
async function findUnavailable(
  ctx: Context,
  tx: Transaction,
  purchase: Purchase,
): Promise<CaptureFacts["unavailable"]> {
  if (purchaseStateOf(purchase, ctx.clock.now()) !== "hold-released") return null;
  if (purchase.couponCode && !(await lockReleasedRedemption(tx, purchase.id))) return "coupon";
  const { id: purchaseId, toolId } = purchase;
  return toolId && (await lockStock(ctx, tx, { toolId, purchaseId })) ? null : "stock";
}
