import { type Column, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Database } from "#db/database.ts";
import { hasJoiners, withoutJoiners } from "#db/tables/columns.ts";
import {
  type Direction,
  findsBeginnings,
  lastPageOf,
  MAX_COUNTED,
  MAX_MATCHES,
  PAGE_SIZE,
  type PageOfIds,
} from "./paging.ts";

/** One key of the order of a list. */
export interface SortKey {
  column: SQL;
  /** Whether it can be null. Rows without a value come last in both directions. Only the first key of an order. */
  hasNulls?: boolean;
}

export interface ListQuery {
  from: SQL;
  id: SQL;
  /** Which rows the list has. */
  listed: SQL;
  /** The keys of the order. The id follows them, so that the order is total. */
  keys: readonly SortKey[];
  direction: Direction;
  page: number;
  /** The row that the address names. */
  row: string | null;
  q: string;
  /** The conditions of a search, any of which makes a row match, each answered by an index. */
  search: (matches: Matches) => SQL[];
  /** The same, from the columns of a row alone, for rows that are read in the order of the list. `search` unless given. */
  searchInOrder?: (matches: Matches) => SQL[];
}

/**
 * One page of a list. A search collects its matches by indexes and sorts them. With more than 2,000 it reads the rows in
 * the order of the list, which soon finds a page of them.
 */
export async function selectListPage(db: Database, list: ListQuery): Promise<PageOfIds> {
  const { from, id, listed, q } = list;
  if (q === "")
    return readPage(db, list, {
      from,
      where: listed,
      count: countUpTo(MAX_COUNTED + 1, from, listed),
      most: MAX_COUNTED,
    });
  const searched = matches(q);
  const conditions = list.search(searched);
  const parts = conditions.map(
    (condition) =>
      sql`(select ${id} as id from ${from} where ${listed} and ${condition} limit ${MAX_MATCHES + 1})`,
  );
  const few = await readPage(db, list, {
    with: sql`with found as (${sql.join(parts, sql` union `)})`,
    // Because of the offset, the rows are never read in the order of the list.
    from: sql`(select * from ${from} where ${id} in (select id from found) offset 0) ${from}`,
    where: sql`true`,
    count: sql`(select count(*)::int from found)`,
    most: MAX_MATCHES,
  });
  if (few.totalIsExact) return few;
  const inOrder = list.searchInOrder?.(searched) ?? conditions;
  const where = sql`${listed} and (${sql.join(inOrder, sql` or `)})`;
  return readPage(db, list, { from, where, count: sql`${MAX_MATCHES + 1}::int`, most: MAX_MATCHES });
}

/** The ids of all rows of a list, in no order, `most` at most. */
export async function selectAllIds(db: Database, list: ListQuery, most: number): Promise<string[]> {
  const { from, id, listed, q } = list;
  // With `or`, Postgres would read every row where one of the conditions has no index.
  const conditions = q === "" ? [sql`true`] : list.search(matches(q));
  const parts = conditions.map(
    (condition) => sql`(select ${id} from ${from} where ${listed} and ${condition} limit ${most})`,
  );
  const { rows } = await db.execute(
    sql`select array(select * from (${sql.join(parts, sql` union `)}) found limit ${most}) as ids`,
  );
  return idsRow.parse(rows[0]).ids;
}

const idsRow = z.object({ ids: z.array(z.string()) });

/** How many rows a condition selects, in SQL. Not more than `most` are counted. */
export function countUpTo(most: number, from: SQL, where: SQL): SQL {
  return sql`(select count(*)::int from (select from ${from} where ${where} limit ${most}) counted)`;
}

const foundRow = z.object({ found: z.int(), ids: z.array(z.string()) });

/** A page of the rows. A page after the last one becomes the last one. With more than `most` the total is not exact. */
async function readPage(
  db: Database,
  { id, keys, direction, page, row }: ListQuery,
  rows: { with?: SQL; from: SQL; where: SQL; count: SQL; most: number },
): Promise<PageOfIds> {
  const order = orderBy([...keys, { column: id }], direction);
  const idsOf = (where: SQL, limit: number, offset: number) =>
    sql`array(select ${id} from ${rows.from} where ${where} order by ${order} limit ${limit} offset ${offset})`;
  const [key] = keys;
  // An index has the rows without a value at the end that is first when ascending, so these are read apart.
  const endsWithNulls = direction === "asc" && key?.hasNulls === true;
  const pageOf = (offset: number) => {
    if (!endsWithNulls) return idsOf(rows.where, PAGE_SIZE, offset);
    const end = offset + PAGE_SIZE;
    const [some, none] = ["is not null", "is null"].map((test) =>
      idsOf(sql`${rows.where} and ${key.column} ${sql.raw(test)}`, end, 0),
    );
    return sql`(${some} || ${none})[${sql.raw(String(offset + 1))}:${sql.raw(String(end))}]`;
  };
  const read = async (at: number) => {
    const answer = await db.execute(sql`${rows.with ?? sql``}
      select ${rows.count} as found, ${pageOf((at - 1) * PAGE_SIZE)} as ids`);
    return foundRow.parse(answer.rows[0]);
  };
  const first = await read(page);
  const total = Math.min(first.found, rows.most);
  const shown = Math.min(page, lastPageOf(total));
  const { ids: pageIds } = shown === page ? first : await read(shown);
  const ids = row === null || pageIds.includes(row) ? pageIds : [...pageIds, row];
  return { ids, pageIds, openedId: row, page: shown, total, totalIsExact: total === first.found };
}

/** `key desc nulls last, id desc` */
function orderBy(keys: readonly SortKey[], direction: Direction): SQL {
  const parts = keys.map(({ column, hasNulls }) => {
    if (direction === "desc") return hasNulls ? sql`${column} desc nulls last` : sql`${column} desc`;
    return hasNulls ? sql`${column} asc nulls first` : sql`${column} asc`;
  });
  return sql.join(parts, sql`, `);
}

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

/** The condition that a text matches a search. A name may have joiners, which a search does not have. */
export type Matches = (column: SQL | Column, kind?: "name") => SQL;

/**
 * How a search matches texts, in any case: by a part of the text; one or two letters or digits match the beginning of any word in
 * it, as "br" in O'Brien. Signs and emoji are found too, by reading every row.
 */
export function matches(q: string): Matches {
  const beginning = `(^|[^[:alnum:]])${q.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}`;
  const part = `%${q.replace(/[\\%_]/g, "\\$&")}%`;
  const isFound = (text: SQL | Column) =>
    findsBeginnings(q) ? sql`${text} ~* ${beginning}` : sql`${text} ilike ${part}`;
  return (column, kind) =>
    kind === "name"
      ? // The names with joiners are few, and apart, so that the index of all names finds the others.
        sql`(${isFound(column)} or (${hasJoiners(column)} and ${isFound(withoutJoiners(column))}))`
      : isFound(column);
}

/** Fewer digits of an id would match all purchases of some minutes. */
const FEWEST_ID_DIGITS = 8;

/** The range of ids that begin like the searched text; null when it is not the beginning of an id. */
export function idRange(q: string): { from: string; to: string } | null {
  if (!/^[0-9a-f]{8}(?:-?[0-9a-f]{0,4}){0,4}[0-9a-f]{0,8}$/i.test(q)) return null;
  const digits = q.replaceAll("-", "").toLowerCase();
  if (digits.length < FEWEST_ID_DIGITS || digits.length > 32) return null;
  const format = (text: string) => text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return { from: format(digits.padEnd(32, "0")), to: format(digits.padEnd(32, "f")) };
}
