import { eq, sql } from "drizzle-orm";
import type { z } from "zod";
import { lockEdits } from "#db/edit-lock.ts";
import { couponCodes } from "#db/tables/catalog.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { changedFields } from "../audit/changed-fields.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { readExpiry, toCouponRecord } from "./coupon-fields.ts";
import { isTool, lockCoupon, selectCoupon } from "./queries.server.ts";
import { updateCouponSchema } from "./schemas.ts";

/**
 * Changes a coupon. Purchases keep the code and the discount that they were made with.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'coupon-missing', 'tool-not-found',
 *   'coupon-code-taken', 'changed-meanwhile' (the coupon no longer has `version`)
 */
export async function updateCoupon(
  ctx: Context,
  input: z.input<typeof updateCouponSchema> | UntrustedInput,
): Promise<{ version: number }> {
  requireAdmin(ctx, "changes-price");
  const { id, version, expiresAt, ...fields } = parseInput(updateCouponSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const before = await lockCoupon(tx, id);
    if (before === null) throw new DomainError("coupon-missing");
    if (before.version !== version) throw new DomainError("changed-meanwhile");
    const movesTool = fields.toolId !== before.toolId;
    if (movesTool && !(await isTool(tx, fields.toolId))) throw new DomainError("tool-not-found");
    const sameCode = await selectCoupon(tx, fields.code);
    if (sameCode !== null && sameCode.id !== id) throw new DomainError("coupon-code-taken");
    const { timeZone } = ctx.store;
    const expiry = readExpiry(expiresAt, { timeZone, now: ctx.clock.now(), stored: before.expiresAt });
    const after = { ...fields, expiresAt: expiry };
    await tx
      .update(couponCodes)
      .set({ ...after, version: sql`${couponCodes.version} + 1`, updatedAt: ctx.clock.now() })
      .where(eq(couponCodes.id, id));
    changed(tx, couponCodes);
    await recordAudit(ctx, tx, {
      action: "coupon.updated",
      subjectType: "coupon",
      subjectId: id,
      details: changedFields(toCouponRecord(before), toCouponRecord(after)),
    });
    return { version: version + 1 };
  });
}
