import { inArray } from "drizzle-orm";
import { z } from "zod";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { choice, inOrderOf, type List, type ListInput, listFields, PAGE_SIZE } from "../paging.ts";
import { selectPurchasePage } from "./purchase-list-queries.server.ts";
import { accessEndOf } from "./purchase-machine.ts";

const PURCHASE_STATUSES = ["all", "pending", "completed", "failed"] as const;

const inputSchema = z.object({
  ...listFields(["createdAt", "expiresAt"]),
  status: choice(PURCHASE_STATUSES),
  current: z.stringbool().or(z.boolean()).catch(false),
});

export interface ListedPurchase {
  id: string;
  userId: string;
  userEmail: string;
  toolName: string;
  amountPaise: number;
  currency: string;
  /** As the filter names it. */
  status: "pending" | "completed" | "failed";
  /** Why a purchase ended early; shown in place of the status. */
  endedReason: Purchase["endedReason"];
  endedAt: Date | null;
  createdAt: Date;
  /** null before a purchase is completed. */
  expiresAt: Date | null;
  /** When access ends or has ended; null without a pass. */
  accessEndsAt: Date | null;
  /** Whether it is a pass whose time is over, and that was not ended before. */
  isExpired: boolean;
  testMode: boolean;
  source: Purchase["source"];
}

/**
 * The purchases, newest first unless the input says otherwise.
 *
 * With `current` it leaves out expired ones and those that were ended (refunded or cancelled). Deleted purchases are never
 * listed. Of a deleted user, only those remain that were refunded or cancelled before, without the address.
 *
 * @param input `q`: a part of the e-mail address or of the tool's name, the beginning of a purchase's id (8 digits or
 *   more), or the whole id of a payment or an order at the gateway (`pay_…`, `order_…`); `status`: all, pending, completed or failed; `current`: 1 or 0; `sort`: createdAt or expiresAt; `direction`;
 *   `page`
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function listPurchases(ctx: Context, input: ListInput): Promise<List<ListedPurchase>> {
  requireAdmin(ctx, "reads");
  const now = ctx.clock.now();
  const { ids, ...facts } = await selectPurchasePage(ctx.db, inputSchema.parse(input), now);
  const found = await ctx.db
    .select({
      id: userPurchases.id,
      userId: userPurchases.userId,
      userEmail: userPurchases.userEmail,
      toolName: userPurchases.toolName,
      amountPaise: userPurchases.amountPaise,
      currency: userPurchases.currency,
      status: userPurchases.status,
      endedReason: userPurchases.endedReason,
      endedAt: userPurchases.endedAt,
      createdAt: userPurchases.createdAt,
      expiresAt: userPurchases.expiresAt,
      testMode: userPurchases.testMode,
      source: userPurchases.source,
    })
    .from(userPurchases)
    .where(inArray(userPurchases.id, ids));
  const rows = found.map((row) => {
    const status = row.status === "active" ? ("completed" as const) : row.status;
    const accessEndsAt = accessEndOf(row);
    const isExpired =
      status === "completed" && row.endedAt === null && accessEndsAt !== null && accessEndsAt <= now;
    return { ...row, status, accessEndsAt, isExpired };
  });
  return { rows: inOrderOf(ids, rows), pageSize: PAGE_SIZE, ...facts };
}
