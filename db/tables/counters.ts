import { bigint, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { moment } from "./columns.ts";

/**
 * Counters of rows and sums of paise, so that nothing counts a million rows. Triggers (in the migrations) write every
 * change to `counter_changes`, in the transaction that makes it; a job adds the changes up here. The value of a counter
 * is the sum of its rows in both tables. `bucket` is the quarter of an hour of what is counted, or the epoch for
 * counters without a time and for times long ago. The view `expected_counters` calculates the same from the tables.
 */
export const counters = pgTable(
  "counters",
  {
    name: text("name").notNull(),
    bucket: moment("bucket").notNull(),
    count: bigint("count", { mode: "number" }).notNull(),
    paise: bigint("paise", { mode: "number" }).notNull(),
  },
  (table) => [uniqueIndex("counters_key").on(table.name, table.bucket)],
);

/** Rows are only inserted, so that no transaction waits for another. It has no key and no index, to be cheap. */
export const counterChanges = pgTable("counter_changes", {
  name: text("name").notNull(),
  bucket: moment("bucket").notNull(),
  count: integer("count").notNull(),
  paise: bigint("paise", { mode: "number" }).notNull(),
});
