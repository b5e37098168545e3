import type { z } from "zod";
import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import { joinPurchase } from "../catalog/join-imported-purchases.server.ts";
import { recountStock } from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { lockPurchase } from "./apply-purchase-event.server.ts";
import { selectToolNames } from "./queries.server.ts";
import { joinToolSchema } from "./schemas.ts";

/** The tools with which an imported purchase can be joined. @throws DomainError unauthenticated, forbidden */
export async function listToolsToJoin(ctx: Context): Promise<{ id: string; name: string }[]> {
  requireAdmin(ctx, "reads");
  return selectToolNames(ctx.db);
}

/**
 * The admin says which tool an imported purchase is for, whose tool the import did not find. It keeps the name that the buyer has
 * bought, and its times. It takes no unit of stock, except the code of a tool with one code for each buyer.
 *
 * @throws DomainError unauthenticated, forbidden, password-needed, invalid-input, purchase-not-found, purchase-not-imported,
 *   pass-not-changeable (it has a tool), tool-not-found (also deleted), already-owned (another pass of the buyer for the tool in
 *   that time)
 */
export async function joinTool(
  ctx: Context,
  input: z.input<typeof joinToolSchema> | UntrustedInput,
): Promise<{ toolName: string }> {
  requireAdmin(ctx, "changes-access");
  const { purchaseId, toolId } = parseInput(joinToolSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    const purchase = await lockPurchase(tx, purchaseId);
    if (!purchase) throw new DomainError("purchase-not-found");
    if (purchase.source !== "import") throw new DomainError("purchase-not-imported");
    if (purchase.toolId !== null) throw new DomainError("pass-not-changeable");
    const [tool] = await selectToolNames(tx, toolId);
    if (tool === undefined) throw new DomainError("tool-not-found");
    if (!(await joinPurchase(tx, purchaseId, toolId))) throw new DomainError("already-owned");
    await recountStock(ctx, tx, toolId);
    await recordAudit(ctx, tx, {
      action: "purchase.tool-joined",
      subjectType: "purchase",
      subjectId: purchaseId,
      details: { before: { toolId: null }, after: { toolId, toolName: tool.name } },
    });
    return { toolName: tool.name };
  });
}
