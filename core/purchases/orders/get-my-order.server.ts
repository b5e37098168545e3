import { and, eq } from "drizzle-orm";
import { z } from "zod";
import { userPurchases } from "#db/tables/purchases.ts";
import { requireSignedIn } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { CORE_MESSAGES, DomainError } from "../../errors.ts";
import { parseInput, type UntrustedInput } from "../../parse.ts";
import type { MyOrder } from "./my-order.ts";
import { isOrderOf, selectOrders } from "./select-orders.server.ts";

const getMyOrderInput = z.object({ purchaseId: z.uuid(CORE_MESSAGES["purchase-not-found"]) });

/**
 * One order of the signed-in person, for its receipt. An order of somebody else is 'purchase-not-found', also for an admin.
 *
 * @throws DomainError unauthenticated, purchase-not-found, invalid-input
 */
export async function getMyOrder(
  ctx: Context,
  input: z.input<typeof getMyOrderInput> | UntrustedInput,
): Promise<MyOrder> {
  const { userId } = requireSignedIn(ctx, "reads");
  const { purchaseId } = parseInput(getMyOrderInput, input);
  const where = and(eq(userPurchases.id, purchaseId), isOrderOf(userId));
  const [order] = await selectOrders(ctx, { where, limit: 1 });
  if (order === undefined) throw new DomainError("purchase-not-found");
  return order;
}
