import { randomUUID } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { ADMIN_EMAIL, openAccountsShop, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import type { Context } from "../context.ts";
import { ensureFirstAdmin } from "./set-up-admin.server.ts";
import { signInAdmin, signInWithEmail, signUpWithEmail } from "./sign-in.server.ts";

const shop = await openAccountsShop();
const password = "kettle-on";
const adminPassword = "the-owners-own-words";
const email = `${randomUUID()}@example.com`;

beforeAll(async () => {
  await ensureFirstAdmin(shop.system(), { password: adminPassword });
  await signUpWithEmail(shop.visitor(), { email, password });
  await shop.db.execute(sql`
    create function refuse_profile() returns trigger language plpgsql as $$
    begin raise exception 'the profile cannot be written'; end $$`);
  await shop.db.execute(sql`
    create trigger refuse_profile before update on users for each row execute function refuse_profile()`);
});

const newcomer = `${randomUUID()}@example.com`;

test.each<[string, (ctx: Context) => ReturnType<typeof signInWithEmail>]>([
  ["a sign-in", (ctx) => signInWithEmail(ctx, { email, password })],
  ["a sign-up", (ctx) => signUpWithEmail(ctx, { email: newcomer, password })],
  [
    "an admin's sign-in",
    (ctx) => signInAdmin(ctx, { email: ADMIN_EMAIL, password: adminPassword, form: "page" }),
  ],
])("%s goes on when the profile cannot be written, and the failure is logged", async (_case, signIn) => {
  const browser = new TestBrowser();
  const warnings: object[] = [];
  const visitor = shop.visitor(browser);
  const log = { ...visitor.log, warn: (facts: object) => void warnings.push(facts) };
  const { user, setCookies } = await signIn({ ...visitor, log });
  browser.keep(setCookies);
  expect((await shop.as(browser)).actor).toMatchObject({ userId: user.id });
  expect(warnings).toEqual([{ userId: user.id, err: expect.any(Error) }]);
});

test("the profile of a sign-in that could not write it has the time of the one before", async () => {
  const [row] = await shop.db.select().from(users).where(eq(users.email, email));
  expect(row?.lastLogin?.getTime()).toBeLessThan(Date.now());
  const [fresh] = await shop.db.select().from(users).where(eq(users.email, newcomer));
  expect(fresh?.lastLogin).toBeNull();
});
