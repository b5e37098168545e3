import { and, count, eq, inArray, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import { couponCodes, tools } from "#db/tables/catalog.ts";
import { couponRedemptions, userPurchases } from "#db/tables/purchases.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { inOrderOf, type List, type ListInput, listFields, PAGE_SIZE } from "../paging.ts";
import { searchPattern } from "../search-pattern.ts";
import { type PageOfIds, type SortKey, selectListPage } from "../select-page.server.ts";

const inputSchema = z.object({
  ...listFields(["createdAt", "code", "expiresAt"]),
  tool: z.literal("all").or(z.uuid()).catch("all"),
});

type Input = z.output<typeof inputSchema>;

export interface ListedCoupon {
  id: string;
  code: string;
  toolId: string;
  /** The name that the tool has now. */
  toolName: string;
  toolIsDeleted: boolean;
  discountPercentage: number;
  /** null: unlimited. */
  usageLimit: number | null;
  /** Completed purchases with the coupon. */
  timesUsed: number;
  /** Uses of open checkouts; they count against the limit. */
  timesHeld: number;
  isActive: boolean;
  /** null: it does not expire. */
  expiresAt: Date | null;
  version: number;
  createdAt: Date;
}

const SORT_KEYS: Record<Input["sort"], SortKey[]> = {
  createdAt: [{ column: sql`${couponCodes.createdAt}` }],
  code: [{ column: sql`upper(${couponCodes.code})` }],
  expiresAt: [{ column: sql`${couponCodes.expiresAt}`, hasNulls: true }],
};

/**
 * The coupons that are not deleted, newest first unless the input says otherwise.
 *
 * @param input `q`: a part of the code or of the tool's name; `tool`: all, or the id of a tool; `sort`: createdAt, code
 *   or expiresAt; `direction`; `page`
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function listCoupons(ctx: Context, input: ListInput): Promise<List<ListedCoupon>> {
  requireAdmin(ctx, "reads");
  const { ids, ...facts } = await selectCouponIds(ctx, inputSchema.parse(input));
  const found = await ctx.db
    .select({
      id: couponCodes.id,
      code: couponCodes.code,
      toolId: couponCodes.toolId,
      toolName: tools.name,
      toolDeletedAt: tools.deletedAt,
      discountPercentage: couponCodes.discountPercentage,
      usageLimit: couponCodes.usageLimit,
      usesTaken: couponCodes.usesTaken,
      isActive: couponCodes.isActive,
      expiresAt: couponCodes.expiresAt,
      version: couponCodes.version,
      createdAt: couponCodes.createdAt,
    })
    .from(couponCodes)
    .innerJoin(tools, eq(tools.id, couponCodes.toolId))
    .where(and(inArray(couponCodes.id, ids), isNull(couponCodes.deletedAt)));
  const held = await countHeldUses(ctx, ids);
  const rows = found.map(({ usesTaken, toolDeletedAt, ...coupon }) => {
    const timesHeld = held.get(coupon.id) ?? 0;
    const timesUsed = Math.max(0, usesTaken - timesHeld);
    return { ...coupon, toolIsDeleted: toolDeletedAt !== null, timesUsed, timesHeld };
  });
  return { rows: inOrderOf(ids, rows), pageSize: PAGE_SIZE, ...facts };
}

async function selectCouponIds(ctx: Context, { tool, sort, ...parsed }: Input): Promise<PageOfIds> {
  const exists = sql`${couponCodes.deletedAt} is null`;
  const listed = tool === "all" ? exists : sql`${exists} and ${couponCodes.toolId} = ${tool}`;
  const pattern = searchPattern(parsed.q);
  // Read first, because the planner cannot estimate how many coupons the tools of a subquery have.
  const namedTools =
    pattern === null
      ? []
      : await ctx.db.select({ id: tools.id }).from(tools).where(sql`${tools.name} ilike ${pattern}`);
  const toolIds = namedTools.map(({ id }) => id);
  return selectListPage(ctx.db, {
    ...parsed,
    from: sql`${couponCodes}`,
    id: sql`${couponCodes.id}`,
    listed,
    keys: SORT_KEYS[sort],
    search: (like) => [
      sql`${couponCodes.code} ilike ${like}`,
      sql`${couponCodes.toolId} = any(${sql.param(toolIds)})`,
    ],
  });
}

/**
 * A coupon's counter has its held and its used redemptions. Only pending purchases hold one, and there are few, so the
 * held ones are counted and not the used ones.
 */
async function countHeldUses(ctx: Context, couponIds: readonly string[]): Promise<Map<string, number>> {
  const counted = await ctx.db
    .select({ couponId: couponRedemptions.couponId, uses: count() })
    .from(couponRedemptions)
    .innerJoin(userPurchases, eq(userPurchases.id, couponRedemptions.purchaseId))
    .where(
      and(
        sql`${userPurchases.status} = 'pending'`,
        eq(couponRedemptions.state, "held"),
        inArray(couponRedemptions.couponId, [...couponIds]),
      ),
    )
    .groupBy(couponRedemptions.couponId);
  return new Map(counted.map(({ couponId, uses }) => [couponId, uses]));
}
