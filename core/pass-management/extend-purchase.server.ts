import type { z } from "zod";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { addDays } from "../time.ts";
import { changePassTimes, type PassTimes } from "./change-pass-times.server.ts";
import { extendPurchaseSchema } from "./schemas.ts";

/**
 * The admin extends a completed purchase by whole days: from its end, or from now when it has expired. Parallel
 * extensions add up.
 *
 * @throws DomainError unauthenticated, forbidden, password-needed, invalid-input, purchase-not-found, pass-not-changeable, pass-overlap
 */
export async function extendPurchase(
  ctx: Context,
  input: z.input<typeof extendPurchaseSchema> | UntrustedInput,
): Promise<PassTimes> {
  requireAdmin(ctx, "changes-access");
  const { purchaseId, days } = parseInput(extendPurchaseSchema, input);
  const now = ctx.clock.now();
  return changePassTimes(ctx, {
    purchaseId,
    action: "purchase.extended",
    chooseEnd: ({ expiresAt }) => addDays(expiresAt > now ? expiresAt : now, days),
  });
}
