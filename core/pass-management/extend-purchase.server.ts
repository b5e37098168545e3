import { z } from "zod";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { addDays } from "../time.ts";
import { changePassTimes, type PassTimes } from "./change-pass-times.server.ts";

const DAYS = "Please enter a whole number of days, 1 to 3650.";

const extendPurchaseInput = z.object({
  purchaseId: z.uuid("Purchase not found"),
  days: z.int(DAYS).min(1, DAYS).max(3650, DAYS),
});

/**
 * The admin extends a completed purchase by whole days: from its end, or from now when it has expired. Parallel
 * extensions add up.
 *
 * @throws DomainError unauthenticated, forbidden, invalid-input, purchase-not-found, pass-not-changeable, pass-overlap
 */
export async function extendPurchase(
  ctx: Context,
  input: z.input<typeof extendPurchaseInput> | UntrustedInput,
): Promise<PassTimes> {
  requireAdmin(ctx);
  const { purchaseId, days } = parseInput(extendPurchaseInput, input);
  const now = ctx.clock.now();
  return changePassTimes(ctx, {
    purchaseId,
    action: "purchase.extended",
    chooseEnd: ({ expiresAt }) => addDays(expiresAt > now ? expiresAt : now, days),
  });
}
