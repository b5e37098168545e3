import { eq, sql } from "drizzle-orm";
import { lockEdits } from "#db/edit-lock.ts";
import { couponCodes } from "#db/tables/catalog.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { toCouponRecord } from "./coupon-fields.ts";
import { lockCoupon } from "./queries.server.ts";
import { deleteCouponSchema } from "./schemas.ts";

/**
 * Ends a coupon, for good, and frees its code. Its redemptions stay, and checkouts that already hold a use of it keep
 * their discount.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'coupon-missing'
 */
export async function deleteCoupon(ctx: Context, input: { id: string } | UntrustedInput): Promise<void> {
  requireAdmin(ctx, "deletes");
  const { id } = parseInput(deleteCouponSchema, input);
  await inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const coupon = await lockCoupon(tx, id);
    if (coupon === null) throw new DomainError("coupon-missing");
    const now = ctx.clock.now();
    await tx
      .update(couponCodes)
      .set({ deletedAt: now, isActive: false, version: sql`${couponCodes.version} + 1`, updatedAt: now })
      .where(eq(couponCodes.id, id));
    changed(tx, couponCodes);
    await recordAudit(ctx, tx, {
      action: "coupon.deleted",
      subjectType: "coupon",
      subjectId: id,
      details: { before: toCouponRecord(coupon) },
    });
  });
}
