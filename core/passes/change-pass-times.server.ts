import type { z } from "zod";
import type { Transaction } from "#db/database.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import { inTransaction, isExclusionViolation } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { type AuthorisedContext, requireAdmin } from "../authorise.ts";
import { recountForRestartedPass } from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import { DomainError, InvalidInputError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { addDays, endOfDay } from "../time.ts";
import { lockPurchase } from "./apply-purchase-event.server.ts";
import { purchaseStateOf } from "./purchase-states.ts";
import { updatePassTimes } from "./queries.server.ts";
import { moveRenewal } from "./renewals.server.ts";
import {
  EXPIRY_DATE_WRONG,
  expiryBeforeStart,
  extendPurchaseSchema,
  parseExpiryDay,
  setPurchaseExpirySchema,
} from "./schemas.ts";

export interface PassTimes {
  startsAt: Date;
  expiresAt: Date;
}

interface Change {
  purchaseId: string;
  action: "purchase.extended" | "purchase.expiry-set";
  /** The new end of a pass; it throws to refuse. */
  chooseEnd: (pass: PassTimes) => Date;
}

/**
 * Changes the end of a completed purchase that was not ended, with an audit event. An expired pass whose new end is in
 * the future starts again now, so that the time in between is not part of it. A renewal that waits for the end moves with it
 * and keeps its days.
 *
 * @throws DomainError purchase-not-found, pass-not-changeable, pass-overlap; tool-out-of-stock (no code is left for it)
 */
async function changePassTimes(
  ctx: AuthorisedContext,
  tx: Transaction,
  { purchaseId, action, chooseEnd }: Change,
): Promise<PassTimes> {
  try {
    const purchase = await lockPurchase(tx, purchaseId);
    if (!purchase) throw new DomainError("purchase-not-found");
    const now = ctx.clock.now();
    const before = timesOf(purchase, now);
    const expiresAt = chooseEnd(before);
    const restarts = before.expiresAt <= now && expiresAt > now;
    const after = { startsAt: restarts ? now : before.startsAt, expiresAt };
    const isLater = after.expiresAt > before.expiresAt;
    // A renewal that moves to a later time makes room first.
    if (isLater) await moveRenewal(ctx, tx, purchase, after.expiresAt);
    await updatePassTimes(tx, purchaseId, after);
    if (!isLater) await moveRenewal(ctx, tx, purchase, after.expiresAt > now ? after.expiresAt : now);
    // The pass may have ended without taking its code, and that code may have been sold since.
    if (restarts) await recountForRestartedPass(ctx, tx, purchase);
    const subject = { subjectType: "purchase", subjectId: purchaseId };
    await recordAudit(ctx, tx, { action, ...subject, details: { before, after } });
    return after;
  } catch (error) {
    if (isExclusionViolation(error)) throw new DomainError("pass-overlap");
    throw error;
  }
}

function timesOf(purchase: Purchase, now: Date): PassTimes {
  const state = purchaseStateOf(purchase, now);
  const { startsAt, expiresAt } = purchase;
  if ((state !== "active" && state !== "expired") || !startsAt || !expiresAt) {
    throw new DomainError("pass-not-changeable");
  }
  return { startsAt, expiresAt };
}

/**
 * The admin extends a completed purchase by whole days: from its end, or from now when it has expired. Parallel
 * extensions add up.
 *
 * @throws DomainError unauthenticated, forbidden, password-needed, invalid-input, purchase-not-found, pass-not-changeable,
 *   pass-overlap
 */
export async function extendPurchase(
  ctx: Context,
  input: z.input<typeof extendPurchaseSchema> | UntrustedInput,
): Promise<PassTimes> {
  requireAdmin(ctx, "changes-access");
  const parsed = parseInput(extendPurchaseSchema, input);
  return inTransaction(ctx.db, (tx) => extendPass(ctx, tx, parsed));
}

/** `extendPurchase` in the transaction of the caller. */
export function extendPass(
  ctx: AuthorisedContext,
  tx: Transaction,
  { purchaseId, days }: z.output<typeof extendPurchaseSchema>,
): Promise<PassTimes> {
  const now = ctx.clock.now();
  return changePassTimes(ctx, tx, {
    purchaseId,
    action: "purchase.extended",
    chooseEnd: ({ expiresAt }) => addDays(expiresAt > now ? expiresAt : now, days),
  });
}

/**
 * The admin sets the last day of a completed purchase: it ends at 23:59:59 of that day in the store's time zone. A day
 * that is over ends the pass at once, and the stored end is that day. A day before the start of the pass is refused as
 * a typing error. An expired pass whose new day is not over starts again now.
 *
 * @throws DomainError unauthenticated, forbidden, password-needed, purchase-not-found, pass-not-changeable, pass-overlap;
 *   InvalidInputError for a wrong date
 */
export async function setPurchaseExpiry(
  ctx: Context,
  input: z.input<typeof setPurchaseExpirySchema> | UntrustedInput,
): Promise<PassTimes> {
  requireAdmin(ctx, "changes-access");
  const parsed = parseInput(setPurchaseExpirySchema, input);
  return inTransaction(ctx.db, (tx) => setPassExpiry(ctx, tx, parsed));
}

/** `setPurchaseExpiry` in the transaction of the caller. */
export async function setPassExpiry(
  ctx: AuthorisedContext,
  tx: Transaction,
  { purchaseId, date }: z.output<typeof setPurchaseExpirySchema>,
): Promise<PassTimes> {
  const day = parseExpiryDay(date);
  if (day === null) throw new InvalidInputError({ date: [EXPIRY_DATE_WRONG] });
  const expiresAt = endOfDay(day, ctx.store.timeZone);
  return changePassTimes(ctx, tx, {
    purchaseId,
    action: "purchase.expiry-set",
    chooseEnd({ startsAt }) {
      if (expiresAt <= startsAt) {
        throw new InvalidInputError({ date: [expiryBeforeStart(startsAt, ctx.store.timeZone)] });
      }
      return expiresAt;
    },
  });
}
