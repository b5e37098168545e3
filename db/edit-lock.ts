import { sql } from "drizzle-orm";
import type { Transaction } from "./database.ts";

/**
 * Makes the admins' edits of the catalogue, codes, coupons, credentials and settings wait for each other, until the end
 * of the transaction. Sales do not take this lock. Rules across rows need it: a tool's name is used once, and an upload
 * changes exactly what its preview showed. No constraint of the database covers these.
 */
export async function lockEdits(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('edits of the shop', 0))`);
}
