import { and, desc, eq } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import type { Context } from "../context.ts";
import { isActivePass } from "../pass-validity.server.ts";

/** The active pass of a user for a tool that expires last; null when there is none. The caller authorises. */
export async function findActivePass(
  ctx: Context,
  executor: Executor,
  input: { userId: string; toolId: string },
): Promise<{ purchaseId: string; expiresAt: Date } | null> {
  const [pass] = await executor
    .select({ purchaseId: userPurchases.id, expiresAt: userPurchases.expiresAt })
    .from(userPurchases)
    .where(
      and(eq(userPurchases.userId, input.userId), eq(userPurchases.toolId, input.toolId), isActivePass(ctx)),
    )
    .orderBy(desc(userPurchases.expiresAt))
    .limit(1);
  return pass?.expiresAt ? { purchaseId: pass.purchaseId, expiresAt: pass.expiresAt } : null;
}
