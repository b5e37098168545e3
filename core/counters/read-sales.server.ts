import { sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { PAYMENTS, TEST_PAYMENTS } from "./counter-names.ts";
import { rowsOf } from "./queries.server.ts";

const wholeNumber = z.coerce.number().int().refine(Number.isSafeInteger);

const salesRow = z.object({ sales: wholeNumber, revenuePaise: wholeNumber });
const quarterRow = salesRow.extend({ at: z.coerce.date() });

/**
 * The sales of each quarter of an hour since `from`, in no order. A sale is a captured payment that was not refunded in
 * full; the revenue is what was captured less refunds. Payments in test mode are left out. The caller authorises.
 */
export async function readSales(executor: Executor, from: Date): Promise<z.output<typeof quarterRow>[]> {
  const { rows } = await executor.execute(sql`
    select bucket as at, sum(count) as sales, sum(paise) as "revenuePaise"
    from ${rowsOf([PAYMENTS])} counted where bucket >= ${from}
    group by bucket having sum(count) <> 0 or sum(paise) <> 0`);
  return z.array(quarterRow).parse(rows);
}

/** All payments in test mode. The caller authorises. */
export async function readTestPayments(executor: Executor): Promise<z.output<typeof salesRow>> {
  const { rows } = await executor.execute(sql`
    select coalesce(sum(count), 0) as sales, coalesce(sum(paise), 0) as "revenuePaise"
    from ${rowsOf([TEST_PAYMENTS])} counted`);
  return salesRow.parse(rows[0]);
}
