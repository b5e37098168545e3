import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Database, Executor } from "#db/database.ts";
import { type Direction, lastPageOf, MAX_MATCHES, PAGE_SIZE } from "./paging.ts";
import { searchPattern } from "./search-pattern.ts";

/**
 * A search with more matches than this reads the rows in the order of the list until the page is full. With fewer it
 * reads all matches and sorts them.
 */
const FEW_MATCHES = 2_000;
/** When the planner expects more matches than this, they are not collected at all. Its estimate may be off by half. */
const CERTAINLY_MANY = 5_000;

/** One key of the order of a list. */
export interface SortKey {
  column: SQL;
  /** Whether it can be null. Null values then come last when descending and first when ascending, as in its index. */
  hasNulls?: boolean;
}

export interface PageOfIds {
  ids: string[];
  page: number;
  total: number;
  totalIsExact: boolean;
}

const idRows = z.array(z.object({ id: z.string() }));
const foundRow = z.object({ found: z.coerce.number().int(), ids: z.array(z.string()).nullable() });

/** `key desc nulls last, id desc`: the last key makes the order total. */
export function orderBy(keys: readonly SortKey[], direction: Direction): SQL {
  const parts = keys.map(({ column, hasNulls }) => {
    if (direction === "desc") return hasNulls ? sql`${column} desc nulls last` : sql`${column} desc`;
    return hasNulls ? sql`${column} asc nulls first` : sql`${column} asc`;
  });
  return sql.join(parts, sql`, `);
}

export const offsetOf = (page: number): number => (page - 1) * PAGE_SIZE;

/** The ids of one page of all rows that a condition selects. */
async function selectIds(
  executor: Executor,
  input: { from: SQL; id: SQL; where: SQL; order: SQL; page: number },
): Promise<string[]> {
  const { rows } = await executor.execute(sql`
    select ${input.id} as id from ${input.from} where ${input.where}
    order by ${input.order} limit ${PAGE_SIZE} offset ${offsetOf(input.page)}`);
  return idRows.parse(rows).map(({ id }) => id);
}

/** A page of a list without a search. `total` is known. A page after the last one becomes the last one. */
export async function selectPage(
  executor: Executor,
  input: { from: SQL; id: SQL; where: SQL; order: SQL; page: number; total: number },
): Promise<PageOfIds> {
  const { total } = input;
  const page = Math.min(input.page, lastPageOf(total));
  return { ids: await selectIds(executor, { ...input, page }), page, total, totalIsExact: true };
}

interface Search {
  from: SQL;
  id: SQL;
  /** The keys of the order, without the id. */
  keys: readonly SortKey[];
  direction: Direction;
  /** Statements that find the matches, each with the columns `id, key0, key1, …`; they may find a row twice. */
  matches: (limit: number) => readonly SQL[];
  /** The same matches as a condition on `from`. */
  where: SQL;
  page: number;
}

/**
 * A page of a search. Few matches are found by their index and sorted. With many matches the list is read in its order,
 * which soon finds a page of them. Plans are made for the searched text itself: one plan for all texts would suit only
 * some of them.
 */
async function selectSearchPage(db: Database, search: Search): Promise<PageOfIds> {
  return withCustomPlans(db, async (tx) => {
    if ((await estimateMatches(tx, search)) > CERTAINLY_MANY) {
      const first = await selectManyMatches(tx, search);
      if (first.ids.length === PAGE_SIZE) return first;
    }
    const matches = search.matches(FEW_MATCHES + 1);
    return (
      (await collectMatches(tx, { ...search, matches, most: FEW_MATCHES })) ?? selectManyMatches(tx, search)
    );
  });
}

const planRows = z.tuple([
  z.object({ "QUERY PLAN": z.tuple([z.object({ Plan: z.object({ "Plan Rows": z.number() }) })]) }),
]);

/** How many matches the planner expects, from its statistics. */
async function estimateMatches(tx: Executor, { from, where }: Search): Promise<number> {
  const { rows } = await tx.execute(sql`explain (format json) select from ${from} where ${where}`);
  return planRows.parse(rows)[0]["QUERY PLAN"][0].Plan["Plan Rows"];
}

async function selectManyMatches(tx: Executor, search: Search): Promise<PageOfIds> {
  const page = Math.min(search.page, lastPageOf(MAX_MATCHES));
  const order = orderBy([...search.keys, { column: search.id }], search.direction);
  const ids = await selectIds(tx, { ...search, order, page });
  return { ids, page, total: MAX_MATCHES, totalIsExact: false };
}

/**
 * A page of the matches that some statements find, which are collected and sorted.
 *
 * @param input.matches statements that find the matches, each with the columns `id, key0, key1, …`; see `Search`
 * @returns null when they find more than `most`
 */
export async function collectMatches(
  tx: Executor,
  input: Pick<Search, "keys" | "direction" | "page"> & { matches: readonly SQL[]; most: number },
): Promise<PageOfIds | null> {
  const matches = input.matches.map((match) => sql`(${match})`);
  const order = orderBy([...matchKeys(input.keys), { column: sql`id` }], input.direction);
  const read = async (page: number) => {
    const { rows } = await tx.execute(sql`
      with found as materialized (${sql.join(matches, sql` union `)})
      select (select count(*) from found) as found, array(
        select id from found order by ${order} limit ${PAGE_SIZE} offset ${offsetOf(page)}) as ids`);
    return foundRow.parse(rows[0]);
  };
  const first = await read(input.page);
  if (first.found > input.most) return null;
  const total = Math.min(first.found, MAX_MATCHES);
  const page = Math.min(input.page, lastPageOf(total));
  const { ids } = page === input.page ? first : await read(page);
  return { ids: ids ?? [], page, total, totalIsExact: total === first.found };
}

/** The columns of a match: `id, key0, key1, …`. */
export function matchColumns(id: SQL, keys: readonly SortKey[]): SQL {
  const columns = keys.map(({ column }, at) => sql`${column} as ${sql.raw(`key${at}`)}`);
  return sql.join([sql`${id} as id`, ...columns], sql`, `);
}

/** The same keys as columns of matches. */
export function matchKeys(keys: readonly SortKey[]): SortKey[] {
  return keys.map((key, at) => ({ ...key, column: sql.raw(`key${at}`) }));
}

/**
 * One page of a list of one table.
 *
 * @param input.listed which rows the list has
 * @param input.search the conditions of a search, any of which makes a row match; `pattern` is for LIKE
 * @param input.count how many rows the list has; not called for a search
 */
export async function selectListPage(
  db: Database,
  input: {
    from: SQL;
    id: SQL;
    listed: SQL;
    keys: readonly SortKey[];
    search: (pattern: string) => SQL[];
    count: () => Promise<number>;
    q: string;
    direction: Direction;
    page: number;
  },
): Promise<PageOfIds> {
  const { from, id, listed, keys, q, direction, page } = input;
  if (q === "") {
    const order = orderBy([...keys, { column: id }], direction);
    return selectPage(db, { from, id, where: listed, order, page, total: await input.count() });
  }
  const pattern = searchPattern(q);
  if (pattern === null) return NOTHING_FOUND;
  const conditions = input.search(pattern);
  const matches = (limit: number) =>
    conditions.map(
      (condition) =>
        sql`select ${matchColumns(id, keys)} from ${from} where ${listed} and ${condition} limit ${limit}`,
    );
  const where = sql`${listed} and (${sql.join(conditions, sql` or `)})`;
  return selectSearchPage(db, { from, id, keys, direction, matches, where, page });
}

/** How many rows a list has; of a table that has no counter, so that no more than `most` are counted. */
export async function countUpTo(
  db: Database,
  { from, listed, most }: { from: SQL; listed: SQL; most: number },
): Promise<number> {
  const { rows } = await db.execute(sql`
    select count(*)::int as n from (select from ${from} where ${listed} limit ${most}) counted`);
  return z.object({ n: z.int() }).parse(rows[0]).n;
}

/** The page of a search without matches. */
export const NOTHING_FOUND: PageOfIds = { ids: [], page: 1, total: 0, totalIsExact: true };

/**
 * The different values of a column, in SQL. They are read one by one from an index that begins with the column: a
 * million rows have few of them.
 */
export function distinctValues(table: SQL, column: SQL): SQL {
  return sql`(
    with recursive values_of as (
      (select ${column} as value from ${table} order by ${column} limit 1)
      union all
      select (select ${column} from ${table} where ${column} > values_of.value order by ${column} limit 1)
      from values_of where values_of.value is not null
    )
    select value from values_of where value is not null
  )`;
}

/** Runs queries whose plans are made for their values. */
export function withCustomPlans<Result>(
  db: Database,
  read: (tx: Executor) => Promise<Result>,
): Promise<Result> {
  return db.transaction(
    async (tx) => {
      await tx.execute(sql`set local plan_cache_mode = force_custom_plan`);
      return read(tx);
    },
    { accessMode: "read only" },
  );
}
