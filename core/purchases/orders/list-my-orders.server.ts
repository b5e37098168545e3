import { z } from "zod";
import { userPurchases } from "#db/tables/purchases.ts";
import { requireSignedIn } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import type { MyOrder } from "./my-order.ts";
import { isOrderOf, selectOrders } from "./select-orders.server.ts";

/** Orders of one page. */
const ORDERS_PER_PAGE = 10;

const inputSchema = z.object({ page: z.coerce.number().int().min(1).max(100_000).catch(1) });

export interface MyOrders {
  /** Newest first. */
  orders: MyOrder[];
  /** From 1. The last page there is, when a later one was asked for. */
  page: number;
  pages: number;
  total: number;
}

/**
 * One page of the orders of the signed-in person, whatever became of them. Orders that an admin has deleted are left out.
 *
 * @param input `page` from 1; anything else is the first page
 * @throws DomainError unauthenticated
 */
export async function listMyOrders(
  ctx: Context,
  input: Readonly<Record<string, unknown>>,
): Promise<MyOrders> {
  const { userId } = requireSignedIn(ctx, "reads");
  const where = isOrderOf(userId);
  const total = await ctx.db.$count(userPurchases, where);
  const pages = Math.max(1, Math.ceil(total / ORDERS_PER_PAGE));
  const page = Math.min(inputSchema.parse(input).page, pages);
  const offset = (page - 1) * ORDERS_PER_PAGE;
  return { orders: await selectOrders(ctx, { where, limit: ORDERS_PER_PAGE, offset }), page, pages, total };
}
