import { type Column, type SQL, sql } from "drizzle-orm";
import { customType, integer, timestamp, uuid } from "drizzle-orm/pg-core";
import { uuidv7 } from "uuidv7";

/** Primary key: a UUIDv7 from the app, so that inserts are in index order without a sequence. */
export const primaryId = () =>
  uuid("id")
    .primaryKey()
    .$defaultFn(() => uuidv7());

/** A time in UTC (`timestamptz` with milliseconds, the precision of JavaScript's Date). */
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: "date" });

export const createdAt = () => moment("created_at").notNull().defaultNow();

export const updatedAt = () =>
  moment("updated_at")
    .notNull()
    .defaultNow()
    .$onUpdate(() => new Date());

/** How often an admin has changed the row. An edit names the version that it started from, so no edit is overwritten. */
export const version = () => integer("version").notNull().default(1);

/** The bytes of a file. */
export const bytes = customType<{ data: Buffer<ArrayBuffer> }>({ dataType: () => "bytea" });

/** Whether a text has one of the joiners that Devanagari and emoji need and that no search has. */
export const hasJoiners = (text: Column | SQL): SQL => sql`${text} ~ '[\\u200C\\u200D]'`;

export const withoutJoiners = (text: Column | SQL): SQL => sql`translate(${text}, E'\\u200C\\u200D', '')`;
