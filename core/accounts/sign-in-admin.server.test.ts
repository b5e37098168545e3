import { beforeAll, describe, expect, test } from "vitest";
import { sessions } from "#db/tables/accounts.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { ADMIN_EMAIL, openAccountsShop, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { ensureFirstAdmin } from "./set-up-admin.server.ts";
import { signInAdmin, signUpWithEmail } from "./sign-in.server.ts";

const shop = await openAccountsShop();
const password = "the-owners-own-words";

beforeAll(async () => {
  await ensureFirstAdmin(shop.system(), { password });
  await signUpWithEmail(shop.visitor(), { email: "asha@example.com", password: "kettle-on" });
  await shop.db.delete(sessions);
});

test.each(["page", "inline"])("the admin signs in with the %s form", async (form) => {
  const browser = new TestBrowser();
  const { user, setCookies } = await signInAdmin(shop.visitor(browser), {
    email: ADMIN_EMAIL,
    password,
    form,
  });
  expect(user.role).toBe("admin");
  browser.keep(setCookies);
  expect((await shop.as(browser)).actor).toMatchObject({ kind: "admin", email: ADMIN_EMAIL });
  const events = await shop.db.select().from(auditEvents);
  expect(events.map((event) => event.action)).toContain("admin.signed-in");
});

describe("the sign-in of an admin is refused", () => {
  const user = { email: "asha@example.com", password: "kettle-on" };
  const attempts: [string, string, Record<string, string>, string][] = [
    ["page", "the correct password of a non-admin", user, "invalid-admin-credentials"],
    ["inline", "the correct password of a non-admin", user, "invalid-admin-credentials"],
    ["page", "a wrong password of a non-admin", { ...user, password: "no" }, "wrong-password"],
    ["inline", "a wrong password of a non-admin", { ...user, password: "no" }, "invalid-credentials"],
    ["page", "a wrong password", { email: ADMIN_EMAIL, password: "no" }, "wrong-password"],
    ["inline", "a wrong password", { email: ADMIN_EMAIL, password: "no" }, "invalid-credentials"],
    ["page", "an unknown email", { email: "no@example.com", password }, "user-not-found"],
    ["inline", "an unknown email", { email: "no@example.com", password }, "invalid-credentials"],
    ["page", "a malformed email", { email: "no", password }, "invalid-email"],
    ["inline", "a malformed email", { email: "no", password }, "invalid-credentials"],
  ];
  test.each(
    attempts,
  )("the sign-in of an admin on the %s form with %s is refused and starts no session", async (form, _what, input, code) => {
    const before = await shop.db.select().from(sessions);
    await expect(signInAdmin(shop.visitor(), { ...input, form })).rejects.toMatchObject({ code });
    expect(await shop.db.select().from(sessions)).toHaveLength(before.length);
  });

  test.each([
    "page",
    "inline",
  ])("the sign-in of an admin on the %s form says when there were too many attempts", async (form) => {
    const attempt = () =>
      signInAdmin(shop.visitor(new TestBrowser("203.0.113.9")), {
        email: `${form}@example.com`,
        password,
        form,
      });
    for (let n = 0; n < 10; n++) await expect(attempt()).rejects.toThrow();
    await expect(attempt()).rejects.toMatchObject({ code: "sign-in-rate-limited" });
  });

  test.each([
    "page",
    "inline",
  ])("the sign-in of an admin on the %s form is refused without a browser", async (form) => {
    const attempt = signInAdmin(shop.system(), { email: ADMIN_EMAIL, password, form });
    await expect(attempt).rejects.toMatchObject({ code: "forbidden" });
  });
});
