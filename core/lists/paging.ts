import { z } from "zod";
import { MAX_SEARCH_CHARACTERS, searchedText } from "../typed-text.ts";

/** Rows of one page of every list. */
export const PAGE_SIZE = 50;

/** Further pages would need too many rows to be skipped. The other end is reached by reversing the order. */
const LAST_PAGE = 200;

/** The rows of a list are counted up to here: the rows of all its pages. */
export const MAX_COUNTED = LAST_PAGE * PAGE_SIZE;

/** The matches of a search are counted up to here. */
export const MAX_MATCHES = 2_000;

/** An index of trigrams finds parts of this length, and shorter ones only where a word begins. */
const SHORTEST_PART = 3;

/** Whether a search finds only words that begin with it. */
export const findsBeginnings = (q: string): boolean =>
  [...q].length < SHORTEST_PART && /^[\p{L}\p{N}]/u.test(q);

/** What the address says about a list: untrusted texts by name. */
export type ListInput = Readonly<Record<string, unknown>>;

export interface List<Row> {
  rows: Row[];
  /** From 1. The last page there is, when a later page was asked for. */
  page: number;
  pageSize: number;
  /** How many rows the list has: at most 10,000, and 2,000 of a search. */
  total: number;
  /** false: there are more rows than `total`, some on no page: the screen then asks to search. */
  totalIsExact: boolean;
  /** The row that the address names, which may be on another page; null when it names none, or one that does not exist. */
  opened: Row | null;
  /** The search matches more accounts or names than are looked for in the rows, so some rows are missing. */
  isPartial?: boolean;
}

/** The number of the last page that a list shows, from 1. */
export function lastPageOf(total: number): number {
  return Math.min(LAST_PAGE, Math.max(1, Math.ceil(total / PAGE_SIZE)));
}

/**
 * The input that every list has: `q` (the search), `page` from 1, `sort`, `direction`, and `row`, the id of a row whose dialog is
 * open. An unknown value becomes the default: an address that somebody edited still shows a list.
 *
 * @param sorts the names of the orders; the first is the default
 */
export function listFields<const Sort extends string>(sorts: readonly [Sort, ...Sort[]]) {
  return {
    q: z
      .string()
      .transform((text) =>
        searchedText(text.slice(0, 10 * MAX_SEARCH_CHARACTERS))
          .slice(0, MAX_SEARCH_CHARACTERS)
          .trim(),
      )
      .catch(""),
    page: z.coerce
      .number()
      .int()
      .min(1)
      .transform((page) => Math.min(page, LAST_PAGE))
      .catch(1),
    sort: z.enum(sorts).catch(sorts[0]),
    direction: z.enum(["asc", "desc"]).catch("desc"),
    row: z.uuid().nullable().catch(null),
  };
}

/** A filter with fixed values; the first is the default. */
export function choice<const Value extends string>(values: readonly [Value, ...Value[]]) {
  return z.enum(values).catch(values[0]);
}

export type Direction = "asc" | "desc";

/** Which rows a list shows. */
export interface PageOfIds extends Pick<List<unknown>, "page" | "total" | "totalIsExact"> {
  /** The rows to read: those of the page, and the one that the address names. */
  ids: string[];
  pageIds: string[];
  openedId: string | null;
}

/**
 * A list.
 *
 * @param rows the rows that were read by `ids`, in any order. Those that were deleted since the ids were read are left out.
 */
export function makeList<Row extends { id: string }, Page extends PageOfIds>(
  { ids: _, pageIds, openedId, ...facts }: Page,
  rows: readonly Row[],
) {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const opened = byId.get(openedId ?? "") ?? null;
  return { rows: pageIds.flatMap((id) => byId.get(id) ?? []), opened, pageSize: PAGE_SIZE, ...facts };
}
