import { z } from "zod";
import type { Transaction } from "#db/database.ts";
import type { PricingOption } from "#db/tables/catalog.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import { inTransaction, isExclusionViolation } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import { requireStock } from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { queuePurchaseMail } from "../mail/queue-mail.server.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { isRunningPass } from "../pass-validity.server.ts";
import { addDays, hasNoEnd } from "../time.ts";
import {
  type AccountToAssign,
  type AssignableTool,
  accountExists,
  findAssignableTool,
  insertAssignedPurchase,
  lockAccount,
  lockPurchasesOfTool,
  selectAssignableTools,
} from "./queries.server.ts";

interface Gift {
  userId: string;
  toolId: string;
  /** Absent: the tool's own validity. */
  validityDays?: number;
  source: Extract<Purchase["source"], "admin" | "giveaway" | "checkout">;
  assignedBy: string | null;
  notes: string;
  stockState: Extract<Purchase["stockState"], "used" | "none">;
  /** The pass begins when the running one ends. */
  renews?: boolean;
  /** What was already paid for the pass, and when; absent: nothing. The caller stores the payment. */
  paid?: {
    purchaseId: string;
    orderNumber: string | null;
    amountPaise: number;
    /** Absent: the amount. */
    listPricePaise?: number;
    optionLabel?: string | null;
    couponCode?: string | null;
    currency: string;
    testMode: boolean;
    at: Date;
  };
}

interface GivenPass {
  purchaseId: string;
  expiresAt: Date;
  /** The user's open checkout of the tool, locked; null if there is none. */
  openCheckout: Purchase | null;
  account: AccountToAssign;
  tool: AssignableTool;
}

/**
 * Gives an account a pass, in the caller's transaction: a free pass, or a pass that was paid for. It starts now, or with `renews`
 * at the end of the pass that runs. The caller takes the stock and audits. It locks the account and then its purchases, in the
 * order of all transactions.
 *
 * The `amountPaise` of a free one is 0 and counts in no revenue; `listPricePaise` keeps the tool's price of today. It is not a
 * test pass: it still opens the tool when the shop takes real payments. An open checkout of the user for the tool stays open: a
 * payment of it is refunded, because the user has the tool.
 *
 * @throws DomainError not-found for a deleted account, user-disabled, tool-not-found (also inactive or deleted),
 * already-owned; with `renews` pass-not-changeable without a running pass that ends, and renewal-waiting; an exclusion violation
 * when a payment of the user becomes a pass for the tool at the same time
 */
export async function givePass(ctx: Context, tx: Transaction, gift: Gift): Promise<GivenPass> {
  const { userId, toolId, source, assignedBy, notes, stockState, renews = false, paid } = gift;
  const account = await lockAccount(tx, userId);
  if (!account) throw new DomainError("not-found");
  if (!account.isActive) throw new DomainError("user-disabled");
  const tool = await findAssignableTool(tx, toolId);
  if (!tool) throw new DomainError("tool-not-found");
  const locked = await lockPurchasesOfTool(tx, { userId, tool, isPass: isRunningPass(ctx) });
  const passes = locked.filter(({ status }) => status !== "pending");
  if (passes.length > 0 && !renews) throw new DomainError("already-owned");
  const validityDays = gift.validityDays ?? tool.validityDays;
  const now = ctx.clock.now();
  const startsAt = renews ? endOfRunning(passes, now) : now;
  const expiresAt = addDays(startsAt, validityDays);
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
    isRenewal: renews,
    startsAt,
    expiresAt,
    createdAt: now,
    ...(paid && {
      id: paid.purchaseId,
      ...(paid.orderNumber !== null && { orderNumber: paid.orderNumber }),
      listPricePaise: paid.listPricePaise ?? paid.amountPaise,
      discountPaise: (paid.listPricePaise ?? paid.amountPaise) - paid.amountPaise,
      amountPaise: paid.amountPaise,
      optionLabel: paid.optionLabel ?? null,
      couponCode: paid.couponCode ?? null,
      currency: paid.currency,
      testMode: paid.testMode,
      capturedAt: paid.at,
      createdAt: paid.at,
    }),
  });
  const openCheckout = locked.find((one) => one.status === "pending" && one.toolId === toolId) ?? null;
  return { purchaseId: id, expiresAt, openCheckout, account, tool };
}

/**
 * When a renewal starts. @param passes those that run or wait. @throws DomainError pass-not-changeable, also for a pass without
 * an end; renewal-waiting
 */
function endOfRunning(passes: readonly Purchase[], now: Date): Date {
  if (passes.some(({ startsAt }) => startsAt !== null && startsAt > now))
    throw new DomainError("renewal-waiting");
  const ends = passes.flatMap(({ expiresAt }) => expiresAt?.getTime() ?? []);
  if (ends.length === 0) throw new DomainError("pass-not-changeable");
  const end = new Date(Math.max(...ends));
  if (hasNoEnd(end)) throw new DomainError("pass-not-changeable");
  return end;
}

const assignToolInput = z.object({ userId: z.uuid(), toolId: z.uuid("Tool not found") });

/**
 * The admin gives a user a pass: it starts now and lasts the tool's validity in days, which is 30 for a tool that was created
 * without a validity. It takes a unit of stock. Nothing is paid. The user gets a mail.
 *
 * @throws DomainError unauthenticated, forbidden, password-needed, invalid-input, tool-out-of-stock, and what `givePass` throws
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
        userId,
        toolId,
        source: "admin",
        assignedBy: "admin",
        notes: "Assigned by admin",
        stockState: "used",
      });
      await requireStock(ctx, tx, { tool, purchaseId });
      await recordAudit(ctx, tx, {
        action: "purchase.assigned",
        subjectType: "purchase",
        subjectId: purchaseId,
        details: { before: null, after: { userId, toolId, toolName: tool.name, expiresAt } },
      });
      await queuePurchaseMail(ctx, tx, "pass-assigned", {
        id: purchaseId,
        userEmail: account.email,
        toolName: tool.name,
        testMode: false,
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

const listAssignableToolsInput = z.object({ userId: z.uuid() });

/** A tool that an admin may assign. Paise, days. */
export interface ToolToAssign {
  id: string;
  slug: string;
  name: string;
  description: string;
  pricePaise: number;
  availableStock: number;
  validityDays: number;
  pricingOptions: readonly PricingOption[];
  /** The user has an active pass for it: by its id, or by its name or slug without regard to case. */
  alreadyAssigned: boolean;
}

/**
 * The active tools, the cheapest first, and which of them a user has.
 *
 * @throws DomainError unauthenticated, forbidden, not-found, invalid-input
 */
export async function listAssignableTools(
  ctx: Context,
  input: z.input<typeof listAssignableToolsInput> | UntrustedInput,
): Promise<ToolToAssign[]> {
  requireAdmin(ctx, "reads");
  const { userId } = parseInput(listAssignableToolsInput, input);
  if (!(await accountExists(ctx.db, userId))) throw new DomainError("not-found");
  return selectAssignableTools(ctx.db, { userId, isPass: isRunningPass(ctx) });
}
