import { z } from "zod";
import { inTransaction, isExclusionViolation } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import { reserveStock } from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { queuePurchaseMail } from "../mail/queue-mail.server.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { givePass } from "./give-pass.server.ts";

const assignToolInput = z.object({ userId: z.uuid(), toolId: z.uuid("Tool not found") });

/**
 * The admin gives a user a pass: it starts now and lasts the tool's validity in days, which is 30 for a tool that was
 * created without one. It takes a unit of stock. Nothing is paid. The user gets a mail.
 *
 * @throws DomainError unauthenticated, forbidden, password-needed, invalid-input, tool-out-of-stock, and those of `givePass`
 */
export async function assignTool(
  ctx: Context,
  input: z.input<typeof assignToolInput> | UntrustedInput,
): Promise<{ purchaseId: string; expiresAt: Date }> {
  requireAdmin(ctx, "changes-access");
  const { userId, toolId } = parseInput(assignToolInput, input);
  try {
    const assigned = await inTransaction(ctx.db, async (tx) => {
      const { purchaseId, expiresAt, account, tool } = await givePass(ctx, tx, {
        ...{ userId, toolId, source: "admin", assignedBy: "admin", notes: "Assigned by admin" },
        stockState: "used",
      });
      if (!(await reserveStock(ctx, tx, { toolId, purchaseId })))
        throw new DomainError("tool-out-of-stock", { tool: tool.name });
      await recordAudit(ctx, tx, {
        action: "purchase.assigned",
        subjectType: "purchase",
        subjectId: purchaseId,
        details: { before: null, after: { userId, toolId, toolName: tool.name, expiresAt } },
      });
      await queuePurchaseMail(ctx, tx, "pass-assigned", {
        ...{ id: purchaseId, userEmail: account.email, toolName: tool.name, testMode: false },
      });
      return { purchaseId, expiresAt };
    });
    ctx.ports.jobs.triggerSoon("send-mail");
    return assigned;
  } catch (error) {
    // A payment of the user became a pass for this tool at the same time.
    if (isExclusionViolation(error)) throw new DomainError("already-owned");
    throw error;
  }
}
