import { like, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import type { Context } from "../context.ts";
import type { ListInput } from "../lists/paging.ts";
import { addDays } from "../time.ts";
import { type ListedPurchase, listPurchases } from "./list-purchases.server.ts";

const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
const now = shop.clock.now();
let admin: Context;

/** With two purchases of each there are more than a search counts. */
const ACCOUNTS = 1_100;
const PURCHASES = 240;

type NewPurchase = typeof userPurchases.$inferInsert;

const STATES: ((n: number) => Partial<NewPurchase>)[] = [
  () => ({ status: "pending" }),
  () => ({ status: "failed" }),
  () => ({ status: "failed", endedAt: now, endedReason: "cancelled" }),
  (n) => ({ status: "completed", startsAt: addDays(now, -30), expiresAt: addDays(now, 1 + (n % 7)) }),
  (n) => ({ status: "completed", startsAt: addDays(now, -30), expiresAt: addDays(now, -(n % 5)) }),
  (n) => ({
    status: "completed",
    startsAt: addDays(now, -30),
    expiresAt: addDays(now, n % 9),
    endedAt: now,
    endedReason: n % 2 ? "deleted" : "refunded",
  }),
];

beforeAll(async () => {
  admin = await shop.user("admin");
  await shop.db.execute(sql`insert into users (id, email, created_at)
    select gen_random_uuid(), 'crowd' || n || '@example.org', ${now} from generate_series(1, ${ACCOUNTS}) n`);
  const crowd = await shop.db
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(like(users.email, "crowd%"))
    .limit(PURCHASES);
  await shop.db.insert(userPurchases).values(
    crowd.map(({ id, email }, n) => ({
      userId: id,
      userEmail: email,
      toolName: `Crowd tool ${n % 5}`,
      validityDays: 30,
      listPricePaise: 1,
      amountPaise: 1,
      source: "checkout" as const,
      status: "failed" as const,
      createdAt: addDays(now, -((n * 7) % 100)),
      ...STATES[n % STATES.length]?.(n),
    })),
  );
});
afterAll(() => shop.close());

async function readAll(input: ListInput): Promise<{ rows: ListedPurchase[]; total: number }> {
  const first = await listPurchases(admin, input);
  expect(first.totalIsExact).toBe(true);
  const rows = [...first.rows];
  for (let page = 2; page <= Math.ceil(first.total / 50); page++)
    rows.push(...(await listPurchases(admin, { ...input, page: String(page) })).rows);
  return { rows, total: first.total };
}

const LISTS: ListInput[] = ["all", "running", "pending", "completed", "failed"].flatMap((status) =>
  ["0", "1"].flatMap((current) =>
    ["createdAt", "expiresAt"].flatMap((sort) =>
      ["asc", "desc"].map((direction) => ({ status, current, sort, direction })),
    ),
  ),
);

test.each(
  LISTS,
)("a search of purchases finds what the list without it shows, in the same order: %o", async (list) => {
  const { rows } = await readAll(list);
  expect(rows.length > 0).toBe(list.status !== "failed" || list.current !== "1");
  const byMany = await readAll({ ...list, q: "@example.org" });
  expect(byMany).toEqual({ rows, total: rows.length });
  expect(await readAll({ ...list, q: "tool" })).toEqual(byMany);
  const named = rows.filter(({ toolName }) => toolName === "Crowd tool 3");
  expect(await readAll({ ...list, q: "tool 3" })).toEqual({ rows: named, total: named.length });
  const some = rows.filter(({ userEmail }) => userEmail.includes("crowd1"));
  expect(await readAll({ ...list, q: "crowd1" })).toEqual({ rows: some, total: some.length });
});

test("a purchase is found by its order number, in any case and with or without spaces, and by its id", async () => {
  const [wanted] = await shop.db
    .select()
    .from(userPurchases)
    .where(like(userPurchases.toolName, "Crowd tool 2"));
  if (!wanted) throw new Error("there is no purchase");
  const { id, orderNumber } = wanted;
  const halves = [orderNumber.slice(0, 4), orderNumber.slice(4)];
  for (const q of [
    orderNumber,
    orderNumber.toLowerCase(),
    ` ${halves.join(" ")} `,
    halves.join("-").toLowerCase(),
    id,
    id.toUpperCase(),
  ]) {
    const { rows, total } = await listPurchases(admin, { q });
    expect({ q, ids: rows.map((row) => row.id), total }).toEqual({ q, ids: [id], total: 1 });
    expect(rows[0]?.orderNumber).toBe(orderNumber);
  }
  expect((await listPurchases(admin, { q: orderNumber.slice(0, 7) })).total).toBe(0);
});

test("a page after the last one of a search is its last page", async () => {
  const list = await listPurchases(admin, { q: "@example.org", page: "90" });
  expect(list.page).toBe(Math.ceil(list.total / 50));
  expect(list.rows.length).toBeGreaterThan(0);
});

test("a search with more than 2,000 matches shows the first 2,000 in the order of the list", async () => {
  const rush = () =>
    shop.db.execute(sql`insert into user_purchases (id, user_id, user_email, tool_name, validity, list_price_paise,
        amount, status, source, created_at)
      select gen_random_uuid(), id, email, 'Rush', 30, 1, 1, 'failed', 'checkout', ${addDays(now, -200)}
      from users where email like 'crowd%'`);
  await rush();
  expect(await listPurchases(admin, { q: "rush" })).toMatchObject({ total: ACCOUNTS, totalIsExact: true });
  await rush();
  for (const q of ["rush", "@example.org"]) {
    const input = { q, status: "failed", direction: "asc" };
    const first = await listPurchases(admin, input);
    expect(first).toMatchObject({ total: 2_000, totalIsExact: false });
    const last = await listPurchases(admin, { ...input, page: "41" });
    expect(last.page).toBe(40);
    const plain = await listPurchases(admin, { ...input, q: "", page: "40" });
    expect(last.rows).toEqual(plain.rows);
  }
});
