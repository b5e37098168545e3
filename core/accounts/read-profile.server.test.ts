import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { openAccountsShop } from "#tests/fixtures/accounts-shop.ts";
import { signUpPerson } from "#tests/fixtures/people.ts";
import { readSessionProfile } from "./profile.server.ts";

const shop = await openAccountsShop();

const newUser = (email: string) => signUpPerson(shop, { email });

test("a user reads their own profile, and a visitor or the system reads none", async () => {
  const { browser, userId } = await newUser("asha@example.com");
  const found = await readSessionProfile(await shop.as(browser));
  expect(found).toMatchObject({
    state: "found",
    profile: { id: userId, email: "asha@example.com", name: "", provider: "email", role: "user" },
  });
  const [queries, visitor] = [shop.queries(), shop.visitor()];
  expect(await readSessionProfile(visitor)).toEqual({ state: "signed-out" });
  expect(shop.queries()).toBe(queries);
  expect(await readSessionProfile(shop.system())).toEqual({ state: "signed-out" });
});

test("a session whose account was deleted has no profile, before and after the actor is resolved", async () => {
  const { browser, userId } = await newUser("gone@example.com");
  const before = await shop.as(browser);
  await shop.db.update(users).set({ deletedAt: new Date() }).where(eq(users.id, userId));
  expect(await readSessionProfile(before)).toEqual({ state: "missing" });
  const after = await shop.as(browser);
  expect(after.actor).toEqual({ kind: "visitor" });
  expect(await readSessionProfile(after)).toEqual({ state: "missing" });
});

test("a disabled account is signed out and reads nothing", async () => {
  const { browser, userId } = await newUser("disabled@example.com");
  await shop.db.update(users).set({ isActive: false }).where(eq(users.id, userId));
  expect(await readSessionProfile(await shop.as(browser))).toEqual({ state: "signed-out" });
});
