import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { systemClock } from "../time.ts";
import { selectAllIds } from "./select-page.server.ts";

test("all ids of a search read no more rows of each condition than may be chosen", async () => {
  const shop = openTestShop(await freshDatabase(), { clock: systemClock });
  try {
    await shop.db.execute(sql`create sequence rows_read`);
    const list = {
      from: sql`generate_series(1, 1000) as row(id)`,
      id: sql`row.id::text`,
      listed: sql`true`,
      keys: [],
      direction: "asc" as const,
      page: 1,
      row: null,
      q: "any",
      search: () => [sql`nextval('rows_read') > 0`, sql`nextval('rows_read') > 0 and row.id < 9`],
    };
    expect(await selectAllIds(shop.db, list, 5)).toHaveLength(5);
    const { rows } = await shop.db.execute(sql`select last_value::int as read from rows_read`);
    expect(rows).toEqual([{ read: 10 }]);
  } finally {
    await shop.close();
  }
});
