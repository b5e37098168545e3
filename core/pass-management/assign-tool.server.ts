import { z } from "zod";
import type { Transaction } from "#db/database.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import { inTransaction, isExclusionViolation } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import { reserveStock } from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import { isActivePass } from "../entitlements/pass-validity.server.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { addDays } from "../time.ts";
import {
  type AccountToAssign,
  type AssignableTool,
  findAssignableTool,
  insertAssignedPurchase,
  lockAccount,
  lockPurchasesOfTool,
} from "./queries.server.ts";

const assignToolInput = z.object({ userId: z.uuid(), toolId: z.uuid("Tool not found") });

/**
 * The admin gives a user a pass: it starts now and lasts the tool's validity in days, which is 30 for a tool that was
 * created without one. It takes a unit of stock. It is no test pass, so it also opens the tool once the shop takes real
 * money.
 *
 * Nothing is paid: `amountPaise` is 0 and counts in no revenue. `listPricePaise` keeps the tool's price of today.
 *
 * An open checkout of the user for the tool stays open. A payment of it is refunded, because the user has the tool.
 *
 * @throws DomainError unauthenticated, forbidden, invalid-input; not-found for a deleted account, user-disabled,
 *   tool-not-found (also inactive or deleted), already-owned, tool-out-of-stock
 */
export async function assignTool(
  ctx: Context,
  input: z.input<typeof assignToolInput> | UntrustedInput,
): Promise<{ purchaseId: string; expiresAt: Date }> {
  requireAdmin(ctx);
  const { userId, toolId } = parseInput(assignToolInput, input);
  try {
    return await inTransaction(ctx.db, async (tx) => {
      // Locks in the order of all transactions: account, purchase, tool.
      const account = await lockAccount(tx, userId);
      if (!account) throw new DomainError("not-found");
      if (!account.isActive) throw new DomainError("user-disabled");
      const tool = await findAssignableTool(tx, toolId);
      if (!tool) throw new DomainError("tool-not-found");
      if (await lockPurchasesOfTool(tx, { userId, tool, isPass: isActivePass(ctx) })) {
        throw new DomainError("already-owned");
      }
      const { id, expiresAt } = await insertPass(ctx, tx, account, tool);
      if (!(await reserveStock(tx, toolId))) throw new DomainError("tool-out-of-stock", { tool: tool.name });
      const after = { userId, toolId, toolName: tool.name, expiresAt };
      await recordAudit(ctx, tx, {
        action: "purchase.assigned",
        subjectType: "purchase",
        subjectId: id,
        details: { before: null, after },
      });
      return { purchaseId: id, expiresAt };
    });
  } catch (error) {
    // A payment of the user became a pass for this tool at the same time.
    if (isExclusionViolation(error)) throw new DomainError("already-owned");
    throw error;
  }
}

async function insertPass(
  ctx: Context,
  tx: Transaction,
  account: AccountToAssign,
  tool: AssignableTool,
): Promise<Purchase & { expiresAt: Date }> {
  const now = ctx.clock.now();
  const expiresAt = addDays(now, tool.validityDays);
  const purchase = await insertAssignedPurchase(tx, {
    userId: account.id,
    userEmail: account.email,
    toolId: tool.id,
    toolName: tool.name,
    validityDays: tool.validityDays,
    listPricePaise: tool.pricePaise,
    amountPaise: 0,
    status: "completed",
    source: "admin",
    assignedBy: "admin",
    notes: "Assigned by admin",
    stockState: "used",
    startsAt: now,
    expiresAt,
    createdAt: now,
  });
  return { ...purchase, expiresAt };
}
