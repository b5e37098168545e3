import { type SQL, sql } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { counterChanges, counters } from "#db/tables/counters.ts";

/** The quarter of an hour that every counter with a time is divided into. */
export const BUCKET = sql.raw(`interval '15 minutes'`);

/** The rows of some counters: `name`, `bucket`, `count`, `paise`. Their sums are the values. */
export function rowsOf(names: readonly string[]): SQL {
  const isNamed = sql`name = any(${sql.param([...names])})`;
  return sql`(select name, bucket, count, paise from ${counters} where ${isNamed}
    union all select name, bucket, count, paise from ${counterChanges} where ${isNamed})`;
}

/** Any number that all processes of the shop share. */
const COMPACTION_LOCK = 7_261_009;

/** @returns false when another process compacts the counters now */
export async function lockCompaction(tx: Executor): Promise<boolean> {
  const { rows } = await tx.execute(sql`select pg_try_advisory_xact_lock(${COMPACTION_LOCK}) as locked`);
  return rows[0]?.locked === true;
}

/** Times before which nobody asks for single quarters of an hour. */
export interface OldBuckets {
  /** For the ends of passes. */
  passesBefore: Date;
  /** For payments. */
  paymentsBefore: Date;
}

const isOld = ({ passesBefore, paymentsBefore }: OldBuckets): SQL => sql`bucket > 'epoch' and (
  (name like 'purchases.%' and bucket < ${passesBefore}) or (name like 'payments%' and bucket < ${paymentsBefore}))`;

/** Moves what is counted in old quarters of an hour to the epoch, so that the number of rows stays limited. */
export async function mergeOldBuckets(tx: Executor, old: OldBuckets): Promise<void> {
  await tx.execute(sql`
    with merged as (
      delete from ${counters} where ${isOld(old)} returning name, count, paise
    )
    insert into ${counterChanges} (name, bucket, count, paise)
    select name, 'epoch', sum(count), sum(paise) from merged group by name`);
}

/** Adds all changes up. @returns how many there were */
export async function addUpChanges(tx: Executor): Promise<number> {
  const { rows } = await tx.execute(sql`
    with added as (
      delete from ${counterChanges} returning name, bucket, count, paise
    ), written as (
      insert into ${counters} (name, bucket, count, paise)
      select name, bucket, sum(count), sum(paise) from added group by name, bucket
      on conflict (name, bucket) do update
      set count = ${counters}.count + excluded.count, paise = ${counters}.paise + excluded.paise
    )
    select count(*)::int as changes from added`);
  return Number(rows[0]?.changes ?? 0);
}

/** Counters whose value is not what the tables say, with both. Old quarters of an hour are compared as one. */
export function wrongCounters(old: OldBuckets): SQL {
  const merged = sql`case when ${isOld(old)} then 'epoch' else bucket end`;
  return sql`
    select name, bucket, sum(counted)::bigint as counted, sum(actual)::bigint as actual,
      sum(counted_paise)::bigint as counted_paise, sum(actual_paise)::bigint as actual_paise
    from (
      select name, ${merged} as bucket, count as counted, 0 as actual, paise as counted_paise, 0 as actual_paise
      from (select name, bucket, count, paise from ${counters}
        union all select name, bucket, count, paise from ${counterChanges}) counted
      union all
      select name, ${merged}, 0, count, 0, paise from expected_counters
    ) compared
    group by name, bucket having sum(counted) <> sum(actual) or sum(counted_paise) <> sum(actual_paise)`;
}
