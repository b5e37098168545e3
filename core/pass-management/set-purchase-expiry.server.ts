import type { z } from "zod";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { InvalidInputError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { endOfDay } from "../time.ts";
import { changePassTimes, type PassTimes } from "./change-pass-times.server.ts";
import { EXPIRY_DATE_WRONG, expiryBeforeStart, parseExpiryDay } from "./expiry-date.ts";
import { setPurchaseExpirySchema } from "./schemas.ts";

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
  const { purchaseId, date } = parseInput(setPurchaseExpirySchema, input);
  const day = parseExpiryDay(date);
  if (day === null) throw new InvalidInputError({ date: [EXPIRY_DATE_WRONG] });
  const expiresAt = endOfDay(day, ctx.store.timeZone);
  return changePassTimes(ctx, {
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
