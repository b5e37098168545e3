import { sql } from "drizzle-orm";
import type { Transaction } from "./database.ts";

/**
 * Makes the admins' edits of the catalogue, codes, coupons, credentials and settings wait for each other, until the end
 * of the transaction. Sales do not take this lock. Rules across rows (a name or code is used once; an upload changes
 * exactly what its preview showed) need it, because no constraint of the database covers them.
 */
export async function lockEdits(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('edits of the shop', 0))`);
}
