import { expect, test } from "vitest";
import type { Context } from "#core/context.ts";
import { ADMIN_EMAIL, openAccountsShop } from "#tests/fixtures/accounts-shop.ts";
import { routeArguments } from "#tests/fixtures/admin-route.ts";
import { signInOwner, signUpPerson } from "#tests/fixtures/people.ts";
import { loader } from "./user-data.tsx";

const shop = await openAccountsShop();

const load = (ctx: Context, search = "") => loader(routeArguments(ctx, "/test-user-data", { search }));

test("only an admin gets the list of all users, and only after asking for it", async () => {
  const { browser } = await signUpPerson(shop, { email: "asha@example.com" });
  for (const search of ["", "?users=1", "?page=1", "?q=a"]) {
    expect(await load(await shop.as(browser), search)).toMatchObject({
      own: { state: "found", profile: { email: "asha@example.com" } },
      users: null,
    });
    expect(await load(shop.visitor(), search)).toEqual({ own: { state: "signed-out" }, users: null });
  }
  const owner = (await signInOwner(shop)).ctx;
  expect(await load(owner)).toMatchObject({ own: { profile: { role: "admin" } }, users: null });
  const { users } = await load(owner, "?users=1");
  expect(users).toMatchObject({ total: 2, pageSize: 50 });
  expect(users?.rows.map(({ email }) => email).toSorted()).toEqual(["asha@example.com", ADMIN_EMAIL]);
  expect((await load(owner, "?q=asha")).users?.rows).toMatchObject([{ email: "asha@example.com" }]);
});
