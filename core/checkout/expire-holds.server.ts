import { and, asc, eq, lte } from "drizzle-orm";
import { userPurchases } from "#db/tables/purchases.ts";
import { inTransaction } from "#db/transaction.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { forEachWithConcurrency } from "../for-each-with-concurrency.ts";
import { settleOrderOfPurchase } from "../payments/try-settle-order.server.ts";
import { lockAndApplyPurchaseEvent } from "../purchases/apply-purchase-event.server.ts";

const BATCH = 200;
const SIDE_BY_SIDE = 4;

/** Ends every checkout whose 15 minutes are over: its money is looked for once more, then what it held goes back. */
export async function expireHolds(ctx: Context): Promise<{ ended: number }> {
  requireSystem(ctx);
  const due = await ctx.db
    .select({ id: userPurchases.id })
    .from(userPurchases)
    .where(and(eq(userPurchases.status, "pending"), lte(userPurchases.holdEndsAt, ctx.clock.now())))
    .orderBy(asc(userPurchases.holdEndsAt))
    .limit(BATCH);
  let ended = 0;
  let silent = false;
  await forEachWithConcurrency(
    due,
    SIDE_BY_SIDE,
    async ({ id }) => {
      // A gateway that does not answer must not keep the shelf empty: a capture that comes later is looked after.
      if (!silent) silent = (await lookForMoney(ctx, id)) === "unavailable";
      const moved = await inTransaction(ctx.db, (tx) =>
        lockAndApplyPurchaseEvent(ctx, tx, id, { type: "hold-expired" }),
      );
      if (moved?.kind === "transition") ended++;
      return true;
    },
    (error, { id }) => ctx.log.error({ err: error, purchaseId: id }, "a hold could not be ended"),
  );
  if (ended > 0) ctx.log.info({ ended }, "holds ended");
  return { ended };
}

/** Whatever is wrong with an order, its hold ends on time. */
async function lookForMoney(ctx: Context, purchaseId: string): Promise<"unavailable" | "done"> {
  try {
    return (await settleOrderOfPurchase(ctx, purchaseId)) === "unavailable" ? "unavailable" : "done";
  } catch (error) {
    ctx.log.error({ err: error, purchaseId }, "an order whose hold ends could not be settled");
    return "done";
  }
}
