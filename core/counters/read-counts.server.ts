import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { couponCodes, tools } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";

const wholeNumber = z.coerce.number().int().refine(Number.isSafeInteger);

async function count(executor: Executor, statement: SQL): Promise<number> {
  const { rows } = await executor.execute(statement);
  return z.object({ n: wholeNumber }).parse(rows[0]).n;
}

/** Accounts that are not deleted. The caller authorises. */
export function countUsers(executor: Executor, provider: "all" | "email" | "google"): Promise<number> {
  const ofProvider = provider === "all" ? sql`` : sql`and ${users.provider} = ${provider}`;
  return count(
    executor,
    sql`select count(*) as n from ${users} where ${users.deletedAt} is null ${ofProvider}`,
  );
}

/** Coupons that are not deleted. The caller authorises. */
export function countCoupons(executor: Executor): Promise<number> {
  return count(
    executor,
    sql`select count(*) as n from ${couponCodes} where ${couponCodes.deletedAt} is null`,
  );
}

const toolCounts = z.object({ total: wholeNumber, active: wholeNumber });

/** Tools that are not deleted, and those of them on sale. The caller authorises. */
export async function countTools(executor: Executor): Promise<z.output<typeof toolCounts>> {
  const { rows } = await executor.execute(sql`
    select count(*) as total, count(*) filter (where ${tools.isActive}) as active
    from ${tools} where ${tools.deletedAt} is null`);
  return toolCounts.parse(rows[0]);
}

/** The caller authorises. */
export function countAccessCodes(executor: Executor): Promise<number> {
  return executor.$count(accessCodes);
}

/** The caller authorises. */
export function countCredentials(executor: Executor): Promise<number> {
  return executor.$count(credentials);
}

export interface PurchaseCounts {
  pending: number;
  /** Failed, and not ended by an admin. */
  failed: number;
  /** Completed, not ended, and not expired. */
  running: number;
  /** Also ended and expired ones; those of deleted purchases and users never. */
  all: { pending: number; failed: number; completed: number };
}

const purchaseCounts = z.object({
  pending: wholeNumber,
  failed: wholeNumber,
  running: wholeNumber,
  all: z.object({ pending: wholeNumber, failed: wholeNumber, completed: wholeNumber }),
});

/** Purchases that are not deleted, by status. The caller authorises. */
export async function countPurchases(executor: Executor, now: Date): Promise<PurchaseCounts> {
  const { rows } = await executor.execute(sql`
    select count(*) filter (where status = 'pending' and ended_at is null) as pending,
      count(*) filter (where status = 'failed' and ended_at is null) as failed,
      count(*) filter (where status in ('completed', 'active') and ended_at is null and expires_at > ${now}) as running,
      json_build_object(
        'pending', count(*) filter (where status = 'pending'),
        'failed', count(*) filter (where status = 'failed'),
        'completed', count(*) filter (where status in ('completed', 'active'))) as all
    from ${userPurchases} where ended_reason is null or ended_reason not in ('deleted', 'user-deleted')`);
  return purchaseCounts.parse(rows[0]);
}
