import { inArray, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import type { Context } from "../context.ts";
import type { ListInput } from "../lists/paging.ts";
import { readTabCounts } from "../reports/read-dashboard.server.ts";
import { MINUTE } from "../time.ts";
import { listUsers } from "./manage-users.server.ts";

const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
const start = shop.clock.now().getTime();
const minutes = (n: number) => new Date(start + n * MINUTE);
let admin: Context;

beforeAll(async () => {
  admin = await shop.user("admin");
  await shop.db.delete(users);
  await shop.db.insert(users).values([
    { email: "owner@shop.example", name: "Owner", role: "admin", provider: "admin", createdAt: minutes(0) },
    { email: "asha@example.com", name: "Asha Rao", createdAt: minutes(1), lastLogin: minutes(9) },
    {
      email: "ben@example.com",
      name: "100% Ben",
      provider: "google",
      createdAt: minutes(2),
      isActive: false,
    },
    { email: "gone@example.com", name: "Gone", createdAt: minutes(3), deletedAt: minutes(4) },
    { email: "carla_x@example.org", name: "Carla O'Brien 🌸", createdAt: minutes(4), lastLogin: minutes(8) },
  ]);
});
afterAll(() => shop.close());

const emails = async (input: ListInput) => (await listUsers(admin, input)).rows.map(({ email }) => email);

test("the list of users shows the newest accounts first, without deleted ones", async () => {
  const list = await listUsers(admin, {});
  expect(list.rows.map(({ email }) => email)).toEqual([
    "carla_x@example.org",
    "ben@example.com",
    "asha@example.com",
    "owner@shop.example",
  ]);
  expect(list).toMatchObject({ page: 1, pageSize: 50, total: 4, totalIsExact: true });
  expect(list.rows[1]).toMatchObject({
    name: "100% Ben",
    provider: "google",
    role: "user",
    isActive: false,
    createdAt: minutes(2),
    lastLogin: null,
  });
});

test.each<[string, ListInput, string[]]>([
  ["a part of the address", { q: "ASHA@ex" }, ["asha@example.com"]],
  ["a part of the name, in any case", { q: "a rao" }, ["asha@example.com"]],
  ["one letter by the beginning of a word", { q: "b" }, ["carla_x@example.org", "ben@example.com"]],
  ["two letters by the beginning of a word", { q: "sh" }, ["owner@shop.example"]],
  ["two letters after a sign", { q: "BR" }, ["carla_x@example.org"]],
  ["a sign", { q: "'" }, ["carla_x@example.org"]],
  ["an emoji", { q: "🌸" }, ["carla_x@example.org"]],
  ["the signs % and _ as themselves", { q: "0% b" }, ["ben@example.com"]],
  ["an underline as itself", { q: "a_x" }, ["carla_x@example.org"]],
  ["no letter or digit: nothing", { q: "%%%" }, []],
  ["nobody", { q: "nobody" }, []],
  ["a deleted account", { q: "gone@" }, []],
  ["within a filter", { q: "example", provider: "email" }, ["carla_x@example.org", "asha@example.com"]],
])("the list of users is searched by %s", async (_what, input, found) => {
  expect(await emails(input)).toEqual(found);
  expect(await listUsers(admin, input)).toMatchObject({ total: found.length, totalIsExact: true });
});

test("the list of users finds a name whether it has joiners or the search has", async () => {
  const added = [
    { email: "joined@example.com", name: "लक्\u200dष्मी Rao", createdAt: minutes(6) },
    { email: "plain@example.com", name: "लक्ष्मी Devi", createdAt: minutes(5) },
  ];
  await shop.db.insert(users).values(added);
  for (const q of ["लक्ष्मी", "लक्\u200dष्मी", "ल\u200cक्ष्मी", "लक"])
    expect(await emails({ q })).toEqual(["joined@example.com", "plain@example.com"]);
  const isAdded = inArray(
    users.email,
    added.map(({ email }) => email),
  );
  await shop.db.delete(users).where(isAdded);
});

test("the list of users is filtered by provider; an admin's account is in the whole list only", async () => {
  expect(await emails({ provider: "google" })).toEqual(["ben@example.com"]);
  expect(await emails({ provider: "email" })).toEqual(["carla_x@example.org", "asha@example.com"]);
  expect(await emails({ provider: "admin" })).toHaveLength(4);
  expect(await listUsers(admin, { provider: "google" })).toMatchObject({ total: 1 });
});

test("the list of users is sorted by every order in both directions", async () => {
  const orders = ["asha@example.com", "ben@example.com", "carla_x@example.org", "owner@shop.example"];
  expect(await emails({ sort: "email", direction: "asc" })).toEqual(orders);
  expect(await emails({ sort: "email" })).toEqual(orders.toReversed());
  const byLogin = await emails({ sort: "lastLogin" });
  expect(byLogin.slice(0, 2)).toEqual(["asha@example.com", "carla_x@example.org"]);
  // Users who never signed in come last in both directions.
  expect(await emails({ sort: "lastLogin", direction: "asc" })).toEqual([
    ...byLogin.slice(0, 2).toReversed(),
    ...byLogin.slice(2).toReversed(),
  ]);
  expect(await emails({ direction: "asc" })).toEqual((await emails({})).toReversed());
  expect((await emails({ q: "example", sort: "lastLogin" })).slice(0, 2)).toEqual(byLogin.slice(0, 2));
});

test("the list of users takes the default for everything in an address that makes no sense", async () => {
  const all = await listUsers(admin, {});
  const nonsense = { q: ["x"], page: "-3", sort: "password", direction: "up", provider: 7, other: "\0" };
  expect(await listUsers(admin, nonsense)).toEqual(all);
  expect(await listUsers(admin, { page: "99999999999999999999" })).toEqual(all);
  expect(await emails({ q: " \0asha " })).toEqual(["asha@example.com"]);
});

test("the list of users is for admins only", async () => {
  await expect(listUsers(shop.visitor(), {})).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(listUsers(await shop.user(), {})).rejects.toMatchObject({ code: "forbidden" });
});

describe("pages", () => {
  const many = 120;

  beforeAll(async () => {
    // The same time for all: the id decides.
    const rows = Array.from({ length: many }, (_, n) => ({
      email: `many${n}@pages.test`,
      createdAt: minutes(-5),
    }));
    await shop.db.insert(users).values(rows);
  });

  test.each<[string, ListInput]>([
    ["the whole list", {}],
    ["a search", { q: "pages.test" }],
    ["another order", { sort: "lastLogin", direction: "asc" }],
  ])("the pages of %s show every user once", async (_what, input) => {
    const first = await listUsers(admin, input);
    const seen: string[] = [];
    for (let page = 1; page <= Math.ceil(first.total / 50); page++) {
      const list = await listUsers(admin, { ...input, page: String(page) });
      expect(list).toMatchObject({ page, total: first.total, totalIsExact: true });
      seen.push(...list.rows.map(({ id }) => id));
    }
    expect(seen).toHaveLength(first.total);
    expect(new Set(seen).size).toBe(first.total);
    expect(first.total).toBeGreaterThanOrEqual(many);
  });

  test("the list of users shows its last page for a page after it", async () => {
    const list = await listUsers(admin, { q: "pages.test", page: "9" });
    expect(list).toMatchObject({ page: 3, total: many });
    expect(list.rows).toHaveLength(20);
    expect(await listUsers(admin, { page: "9" })).toMatchObject({ page: 3 });
  });

  test("the pages of a search with more than 2,000 users show the first 2,000 in the order of the list", async () => {
    const rows = Array.from({ length: 5_200 }, (_, n) => ({
      email: `crowd${n}@crowd.test`,
      createdAt: minutes(n),
    }));
    for (let at = 0; at < rows.length; at += 1_300)
      await shop.db.insert(users).values(rows.slice(at, at + 1_300));
    const list = await listUsers(admin, { q: "crowd.test", page: "200" });
    expect(list).toMatchObject({ page: 40, total: 2_000, totalIsExact: false });
    expect(list.rows[0]?.email).toBe(`crowd${5_199 - 1_950}@crowd.test`);
    const some = await listUsers(admin, { q: "crowd1", direction: "asc" });
    expect(some).toMatchObject({ total: 1_111, totalIsExact: true });
    expect(some.rows[1]?.email).toBe("crowd10@crowd.test");
  });

  test("the pages of more than 10,000 users are the first 200, and the tab counts no more of them", async () => {
    const insert = (from: number, to: number) =>
      shop.db.execute(sql`insert into users (id, email)
        select gen_random_uuid(), 'row' || n || '@rows.test' from generate_series(${from}::int, ${to}::int) n`);
    const { total } = await listUsers(admin, {});
    await insert(1, 10_000 - total);
    expect(await listUsers(admin, {})).toMatchObject({ total: 10_000, totalIsExact: true });
    expect((await readTabCounts(admin)).users).toBe(10_000);
    await insert(10_001, 10_002);
    const list = await listUsers(admin, { page: "200" });
    expect(list).toMatchObject({ page: 200, total: 10_000, totalIsExact: false });
    expect(list.rows).toHaveLength(50);
    expect((await readTabCounts(admin)).users).toBe(10_001);
  });
});
