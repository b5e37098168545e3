import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { toolPageGrants, tools } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { changed, inSavepoint, isExclusionViolation } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import type { Context } from "../context.ts";
import { recountStock } from "./stock.server.ts";

export interface JoinedPurchases {
  toolId: string;
  toolName: string;
  count: number;
}

/** Imported purchases of a tool that the shop did not have. No other transaction locks them and then waits for a tool. */
const WAITS = and(eq(userPurchases.source, "import"), isNull(userPurchases.toolId));

/**
 * Joins imported purchases whose tool was not found with the tools that have their name now: as the name, the address or another
 * name. Otherwise the buyer of such a pass would be asked to pay again. A purchase that overlaps another pass of the buyer for
 * the tool stays as it is. Audited for each tool.
 *
 * @param among which tools may get purchases
 */
export async function joinImportedPurchases(
  ctx: Context,
  tx: Transaction,
  among: SQL,
): Promise<JoinedPurchases[]> {
  const name = sql`lower(${userPurchases.toolName})`;
  const isOwn = sql`(lower(${tools.name}) = ${name} or ${tools.slug} = ${name})`;
  const isOther = sql`exists (select from ${toolPageGrants}
    where ${toolPageGrants.page} = ${tools.slug} and lower(${toolPageGrants.toolName}) = ${name})`;
  const found = await tx
    .selectDistinctOn([userPurchases.id], { id: userPurchases.id, toolId: tools.id, toolName: tools.name })
    .from(userPurchases)
    .innerJoin(tools, sql`${tools.deletedAt} is null and (${isOwn} or ${isOther})`)
    .where(and(WAITS, among))
    .orderBy(userPurchases.id, sql`${isOwn} desc`, tools.id);
  const joined: JoinedPurchases[] = [];
  for (const [toolId, purchases] of Map.groupBy(found, (one) => one.toolId)) {
    const toolName = purchases[0]?.toolName ?? "";
    let count = 0;
    for (const { id } of purchases) if (await joinPurchase(tx, id, toolId)) count += 1;
    if (count === 0) continue;
    await recountStock(ctx, tx, toolId);
    await recordAudit(ctx, tx, {
      action: "tool.purchases-joined",
      subjectType: "tool",
      subjectId: toolId,
      details: { toolName, purchases: count },
    });
    joined.push({ toolId, toolName, count });
  }
  return joined;
}

/** @returns false when it has a tool by now, or overlaps another pass of the buyer for the tool */
export async function joinPurchase(tx: Transaction, id: string, toolId: string): Promise<boolean> {
  try {
    const rows = await inSavepoint(tx, (inner) =>
      inner
        .update(userPurchases)
        .set({ toolId })
        .where(and(WAITS, eq(userPurchases.id, id)))
        .returning({ id: userPurchases.id }),
    );
    changed(tx, userPurchases);
    return rows.length > 0;
  } catch (error) {
    if (isExclusionViolation(error)) return false;
    throw error;
  }
}
