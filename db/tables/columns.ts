import { timestamp, uuid } from "drizzle-orm/pg-core";
import { uuidv7 } from "uuidv7";

/** Primary key: a UUIDv7 made in the app, so inserts stay in index order without a sequence. */
export const primaryId = () =>
  uuid("id")
    .primaryKey()
    .$defaultFn(() => uuidv7());

/** A moment in UTC (`timestamptz`, milliseconds, as JavaScript's Date holds them). */
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: "date" });

export const createdAt = () => moment("created_at").notNull().defaultNow();

export const updatedAt = () =>
  moment("updated_at")
    .notNull()
    .defaultNow()
    .$onUpdate(() => new Date());
