import { expect, test } from "vitest";
import { ensureFirstAdmin } from "#core/accounts/ensure-first-admin.server.ts";
import { signInAdmin } from "#core/accounts/sign-in-admin.server.ts";
import { signUpWithEmail } from "#core/accounts/sign-up-with-email.server.ts";
import { ADMIN_EMAIL, openAccountsShop, TestBrowser } from "#core/accounts/testing/accounts-shop.ts";
import type { Context } from "#core/context.ts";
import { routeArguments } from "../../../tools/testing/admin-route.ts";
import { loader } from "./user-data.tsx";

const shop = await openAccountsShop();
const password = "a-long-password-of-the-owner";

const load = (ctx: Context, search = "") => loader(routeArguments(ctx, "/test-user-data", { search }));

async function admin(): Promise<Context> {
  const browser = new TestBrowser();
  await ensureFirstAdmin(shop.system(), { password });
  const { setCookies } = await signInAdmin(shop.visitor(browser), {
    ...{ email: ADMIN_EMAIL, password, form: "page" },
  });
  browser.keep(setCookies);
  return shop.as(browser);
}

test("only an admin gets the list of all users, and only after asking for it", async () => {
  const browser = new TestBrowser();
  const account = { email: "asha@example.com", password: "kettle-on" };
  browser.keep((await signUpWithEmail(shop.visitor(browser), account)).setCookies);
  for (const search of ["", "?users=1", "?page=1", "?q=a"]) {
    expect(await load(await shop.as(browser), search)).toMatchObject({
      ...{ own: { state: "found", profile: { email: "asha@example.com" } }, users: null },
    });
    expect(await load(shop.visitor(), search)).toEqual({ own: { state: "signed-out" }, users: null });
  }
  const owner = await admin();
  expect(await load(owner)).toMatchObject({ own: { profile: { role: "admin" } }, users: null });
  const { users } = await load(owner, "?users=1");
  expect(users).toMatchObject({ total: 2, pageSize: 50 });
  expect(users?.rows.map(({ email }) => email).toSorted()).toEqual(["asha@example.com", ADMIN_EMAIL]);
  expect((await load(owner, "?q=asha")).users?.rows).toMatchObject([{ email: "asha@example.com" }]);
});
