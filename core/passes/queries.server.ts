import { and, asc, desc, eq, inArray, isNull, notInArray, or, type SQL, sql } from "drizzle-orm";
import type { Executor, Transaction } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { tools } from "#db/tables/catalog.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";
import { changed } from "#db/transaction.ts";
import { OFFERED_PRICE } from "../catalog/on-sale.server.ts";
import { IN_LOCK_ORDER, IS_OPEN_CHECKOUT } from "../pass-validity.server.ts";

/** Purchases that an admin's lists show. Deleted purchases, and those that ended with their account, are in none. */
const isListed = or(
  isNull(userPurchases.endedReason),
  notInArray(userPurchases.endedReason, ["deleted", "user-deleted"]),
);

export interface AccountToAssign {
  id: string;
  email: string;
  isActive: boolean;
}

/** Locks an account that is not deleted. It is the first lock, as in every checkout. */
export async function lockAccount(tx: Transaction, userId: string): Promise<AccountToAssign | null> {
  const [account] = await tx
    .select({ id: users.id, email: users.email, isActive: users.isActive })
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.deletedAt)))
    .for("no key update");
  return account ?? null;
}

export async function accountExists(executor: Executor, userId: string): Promise<boolean> {
  return (await executor.$count(users, and(eq(users.id, userId), isNull(users.deletedAt)))) > 0;
}

const assignableColumns = {
  id: tools.id,
  slug: tools.slug,
  name: tools.name,
  description: tools.description,
  pricePaise: OFFERED_PRICE,
  availableStock: tools.availableStock,
  validityDays: tools.validityDays,
  pricingOptions: tools.pricingOptions,
};

const isAssignable = and(eq(tools.isActive, true), isNull(tools.deletedAt));

export type AssignableTool = Awaited<ReturnType<typeof findAssignableTool>> & object;

export async function findAssignableTool(executor: Executor, toolId: string) {
  const [tool] = await executor
    .select(assignableColumns)
    .from(tools)
    .where(and(eq(tools.id, toolId), isAssignable));
  return tool ?? null;
}

/** The tools that are not deleted, by name. */
export async function selectToolNames(
  executor: Executor,
  toolId?: string,
): Promise<{ id: string; name: string }[]> {
  return executor
    .select({ id: tools.id, name: tools.name })
    .from(tools)
    .where(and(isNull(tools.deletedAt), toolId === undefined ? undefined : eq(tools.id, toolId)))
    .orderBy(asc(sql`lower(${tools.name})`), asc(tools.id));
}

/** Purchases for a tool: by its id, or by its name or slug without regard to case, as imported ones may have no id. */
const isForTool = (tool: { id: string; name: string; slug: string }): SQL | undefined =>
  or(
    eq(userPurchases.toolId, tool.id),
    inArray(sql`lower(${userPurchases.toolName})`, [tool.name.toLowerCase(), tool.slug]),
  );

/**
 * Locks the user's open checkouts and passes for a tool, so that a payment that arrives now is recorded before
 * or after the transaction.
 *
 * @param by.isPass the condition of a pass
 */
export async function lockPurchasesOfTool(
  tx: Transaction,
  by: { userId: string; tool: AssignableTool; isPass: SQL | undefined },
): Promise<Purchase[]> {
  return tx
    .select()
    .from(userPurchases)
    .where(and(eq(userPurchases.userId, by.userId), isForTool(by.tool), or(IS_OPEN_CHECKOUT, by.isPass)))
    .orderBy(...IN_LOCK_ORDER)
    .for("update");
}

/** @param by.isPass the condition of an active pass */
export async function selectAssignableTools(
  executor: Executor,
  by: { userId: string; isPass: SQL | undefined },
) {
  const passes = await executor
    .select({ toolId: userPurchases.toolId, toolName: sql<string>`lower(${userPurchases.toolName})` })
    .from(userPurchases)
    .where(and(eq(userPurchases.userId, by.userId), by.isPass));
  const owned = new Set(passes.flatMap(({ toolId, toolName }) => [toolId, toolName]));
  const found = await executor
    .select(assignableColumns)
    .from(tools)
    .where(isAssignable)
    .orderBy(asc(OFFERED_PRICE), asc(tools.name), asc(tools.id));
  return found.map((tool) => ({
    ...tool,
    alreadyAssigned: [tool.id, tool.name.toLowerCase(), tool.slug].some((key) => owned.has(key)),
  }));
}

/** The name and the description of a purchase's tool, by its id, else by its name. None for a deleted tool. */
const currentTool = (executor: Executor) =>
  executor
    .select({ name: tools.name, description: tools.description })
    .from(tools)
    .where(
      and(
        isNull(tools.deletedAt),
        or(
          eq(tools.id, userPurchases.toolId),
          and(
            isNull(userPurchases.toolId),
            eq(sql`lower(${tools.name})`, sql`lower(${userPurchases.toolName})`),
          ),
        ),
      ),
    )
    .orderBy(asc(tools.id))
    .limit(1)
    .as("current_tool");

/** The newest purchases of a user that are listed. */
export async function selectUserPurchases(executor: Executor, by: { userId: string; limit: number }) {
  const tool = currentTool(executor);
  return executor
    .select({
      id: userPurchases.id,
      toolId: userPurchases.toolId,
      toolName: tool.name,
      description: tool.description,
      purchasedName: userPurchases.toolName,
      amountPaise: userPurchases.amountPaise,
      status: userPurchases.status,
      endedReason: userPurchases.endedReason,
      endedAt: userPurchases.endedAt,
      source: userPurchases.source,
      testMode: userPurchases.testMode,
      startsAt: userPurchases.startsAt,
      purchasedAt: userPurchases.createdAt,
      expiresAt: userPurchases.expiresAt,
    })
    .from(userPurchases)
    .leftJoinLateral(tool, sql`true`)
    .where(and(eq(userPurchases.userId, by.userId), isListed))
    .orderBy(desc(userPurchases.createdAt), desc(userPurchases.id))
    .limit(by.limit);
}

export async function insertAssignedPurchase(
  tx: Transaction,
  values: typeof userPurchases.$inferInsert,
): Promise<Purchase> {
  const [purchase] = await tx.insert(userPurchases).values(values).returning();
  changed(tx, userPurchases);
  if (!purchase) throw new Error("the insert of a purchase returned no row");
  return purchase;
}

export async function updatePassTimes(
  tx: Transaction,
  purchaseId: string,
  times: { startsAt: Date; expiresAt: Date },
): Promise<void> {
  await tx.update(userPurchases).set(times).where(eq(userPurchases.id, purchaseId));
  changed(tx, userPurchases);
}
