import type { Transaction } from "#db/database.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { isActivePass } from "../pass-validity.server.ts";
import { addDays } from "../time.ts";
import {
  type AccountToAssign,
  type AssignableTool,
  findAssignableTool,
  insertAssignedPurchase,
  lockAccount,
  lockPurchasesOfTool,
} from "./queries.server.ts";

interface Gift {
  userId: string;
  toolId: string;
  /** Absent: the tool's own validity. */
  validityDays?: number;
  source: Extract<Purchase["source"], "admin" | "giveaway">;
  assignedBy: string | null;
  notes: string;
  stockState: Extract<Purchase["stockState"], "used" | "none">;
}

interface GivenPass {
  purchaseId: string;
  expiresAt: Date;
  account: AccountToAssign;
  tool: AssignableTool;
}

/**
 * Gives an account a pass that starts now and that nothing is paid for, in the caller's transaction. The caller
 * authorises, takes the stock and audits. It locks the account and then its purchases, in the order of all transactions.
 *
 * `amountPaise` is 0 and counts in no revenue; `listPricePaise` keeps the tool's price of today. It is no test pass, so it
 * also opens the tool once the shop takes real money. An open checkout of the user for the tool stays open: a payment of
 * it is refunded, because the user has the tool.
 *
 * @throws DomainError not-found for a deleted account, user-disabled, tool-not-found (also inactive or deleted),
 *   already-owned; an exclusion violation when a payment of the user becomes a pass for the tool at the same time
 */
export async function givePass(ctx: Context, tx: Transaction, gift: Gift): Promise<GivenPass> {
  const { userId, toolId, source, assignedBy, notes, stockState } = gift;
  const account = await lockAccount(tx, userId);
  if (!account) throw new DomainError("not-found");
  if (!account.isActive) throw new DomainError("user-disabled");
  const tool = await findAssignableTool(tx, toolId);
  if (!tool) throw new DomainError("tool-not-found");
  if (await lockPurchasesOfTool(tx, { userId, tool, isPass: isActivePass(ctx) })) {
    throw new DomainError("already-owned");
  }
  const validityDays = gift.validityDays ?? tool.validityDays;
  const now = ctx.clock.now();
  const expiresAt = addDays(now, validityDays);
  const { id } = await insertAssignedPurchase(tx, {
    userId,
    userEmail: account.email,
    toolId,
    toolName: tool.name,
    validityDays,
    listPricePaise: tool.pricePaise,
    amountPaise: 0,
    status: "completed",
    source,
    assignedBy,
    notes,
    stockState,
    startsAt: now,
    expiresAt,
    createdAt: now,
  });
  return { purchaseId: id, expiresAt, account, tool };
}
