import { eq } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { type Purchase, userPurchases } from "#db/tables/purchases.ts";

export async function lockPurchase(tx: Transaction, purchaseId: string): Promise<Purchase | null> {
  const [row] = await tx.select().from(userPurchases).where(eq(userPurchases.id, purchaseId)).for("update");
  return row ?? null;
}
