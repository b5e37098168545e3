import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, test } from "vitest";
import { credentials } from "#db/tables/vault.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import type { Context } from "../context.ts";
import type { ListInput } from "../lists/paging.ts";
import { addDays } from "../time.ts";
import { listCredentials } from "./manage-credentials.server.ts";

const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
let admin: Context;

async function addCredential(service: string, email: string, password: string, day: number) {
  const id = uuidv7();
  const place = { table: "credentials", rowId: id, column: "password_sealed" };
  const passwordSealed = shop.ports.cipher.seal(password, place);
  await shop.db
    .insert(credentials)
    .values({ id, service, email, passwordSealed, createdAt: addDays(shop.clock.now(), day) });
}

beforeAll(async () => {
  admin = await shop.user("admin");
  expect(await listCredentials(admin, {})).toEqual({
    rows: [],
    opened: null,
    page: 1,
    pageSize: 50,
    total: 0,
    totalIsExact: true,
  });
  await addCredential("QuillBot", "team@example.com", "secret-of-the-team", 1);
  await addCredential("Other", "solo@example.org", "abcd", 2);
});
afterAll(() => shop.close());

const services = async (input: ListInput) =>
  (await listCredentials(admin, input)).rows.map(({ service }) => service);

test("the list of credentials masks every password with the same number of asterisks", async () => {
  const { rows, total } = await listCredentials(admin, {});
  expect(total).toBe(2);
  expect(rows.map(({ service, passwordMasked }) => [service, passwordMasked])).toEqual([
    ["Other", "********"],
    ["QuillBot", "secr********"],
  ]);
  expect(JSON.stringify(rows)).not.toMatch(/secret-of|abcd|sealed/i);
  expect(rows[1]).toMatchObject({ email: "team@example.com", isActive: true, version: 1 });
});

test.each<[ListInput, string[]]>([
  [{ q: "quill" }, ["QuillBot"]],
  [{ q: "SOLO@" }, ["Other"]],
  [{ q: "nothing" }, []],
  [{ sort: "service", direction: "asc" }, ["Other", "QuillBot"]],
  [{ sort: "email" }, ["QuillBot", "Other"]],
  [{ direction: "asc" }, ["QuillBot", "Other"]],
])("the list of credentials is searched and sorted: %o", async (input, found) => {
  expect(await services(input)).toEqual(found);
});

test("the list of credentials is for admins only", async () => {
  await expect(listCredentials(shop.visitor(), {})).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(listCredentials(await shop.user(), {})).rejects.toMatchObject({ code: "forbidden" });
});
