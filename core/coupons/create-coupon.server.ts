import { uuidv7 } from "uuidv7";
import type { z } from "zod";
import { lockEdits } from "#db/edit-lock.ts";
import { couponCodes } from "#db/tables/catalog.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { readExpiry, toCouponRecord } from "./coupon-fields.ts";
import { isTool, selectCoupon } from "./queries.server.ts";
import { createCouponSchema } from "./schemas.ts";

/**
 * Adds a coupon for one tool.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'tool-not-found', 'coupon-code-taken'
 */
export async function createCoupon(
  ctx: Context,
  input: z.input<typeof createCouponSchema> | UntrustedInput,
): Promise<{ id: string }> {
  requireAdmin(ctx, "changes-price");
  const { expiresAt, ...fields } = parseInput(createCouponSchema, input);
  const { timeZone } = ctx.store;
  const expiry = readExpiry(expiresAt, { timeZone, now: ctx.clock.now(), stored: null });
  const coupon = { ...fields, expiresAt: expiry };
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    if (!(await isTool(tx, coupon.toolId))) throw new DomainError("tool-not-found");
    if (await selectCoupon(tx, coupon.code)) throw new DomainError("coupon-code-taken");
    const id = uuidv7();
    await tx.insert(couponCodes).values({ id, ...coupon, createdAt: ctx.clock.now() });
    changed(tx, couponCodes);
    await recordAudit(ctx, tx, {
      action: "coupon.created",
      subjectType: "coupon",
      subjectId: id,
      details: { after: toCouponRecord(coupon) },
    });
    return { id };
  });
}
