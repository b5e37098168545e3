import { sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { PAYMENTS, TEST_PAYMENTS } from "./counter-names.ts";
import { rowsOf } from "./queries.server.ts";

const wholeNumber = z.coerce.number().int().refine(Number.isSafeInteger);

const salesRow = z.object({ sales: wholeNumber, revenuePaise: wholeNumber });

/**
 * A sale is a captured payment that was not refunded in full; the revenue, in paise, is what was captured less refunds.
 */
export type Sales = z.output<typeof salesRow>;

const periodRow = salesRow.extend({ period: z.int() });

/**
 * The sales of each period. A period ends where the next one starts; the last one has no end. A refund reduces the
 * period of its payment. Payments in test mode are left out. The caller authorises.
 *
 * @param starts ascending; each at a full quarter of an hour of UTC
 */
export async function readSales(executor: Executor, starts: readonly Date[]): Promise<Sales[]> {
  const texts = starts.map((start) => start.toISOString());
  const { rows } = await executor.execute(sql`
    select width_bucket(bucket, ${sql.param(texts)}::timestamptz[]) as period,
      sum(count) as sales, sum(paise) as "revenuePaise"
    from ${rowsOf([PAYMENTS])} counted where bucket >= ${texts[0] ?? "infinity"}::timestamptz group by period`);
  const sales = new Map(
    z
      .array(periodRow)
      .parse(rows)
      .map(({ period, ...sums }) => [period, sums]),
  );
  return starts.map((_, at) => sales.get(at + 1) ?? { sales: 0, revenuePaise: 0 });
}

/** All payments in test mode. The caller authorises. */
export async function readTestPayments(executor: Executor): Promise<Sales> {
  const { rows } = await executor.execute(sql`
    select coalesce(sum(count), 0) as sales, coalesce(sum(paise), 0) as "revenuePaise"
    from ${rowsOf([TEST_PAYMENTS])} counted`);
  return salesRow.parse(rows[0]);
}
