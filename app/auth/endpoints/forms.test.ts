import { RouterContextProvider } from "react-router";
import { expect, test } from "vitest";
import { ORIGIN, openAccountsShop, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { shopContext } from "../../request/request-context.ts";
import { action } from "./forms.ts";

const shop = await openAccountsShop();
const account = { email: "asha@example.com", password: "kettle-on" };

async function post(pattern: string, fields: Record<string, string> = {}) {
  const context = new RouterContextProvider();
  context.set(shopContext, shop.visitor(new TestBrowser()));
  const url = new URL(pattern, ORIGIN);
  const request = new Request(url, { method: "POST", body: new URLSearchParams(fields) });
  const { data, init } = await action({ request, url, pattern, params: {}, context });
  return {
    result: data,
    status: init?.status ?? 200,
    cookies: new Headers(init?.headers).getSetCookie().length,
  };
}

test("each path of the sign-in dialog's forms runs its own operation", async () => {
  expect(await post("/auth/sign-up", account)).toEqual({ result: { ok: true }, status: 200, cookies: 2 });
  expect(await post("/auth/sign-in", account)).toEqual({ result: { ok: true }, status: 200, cookies: 2 });
  expect(await post("/auth/reset", { email: account.email })).toEqual({
    result: {
      ok: true,
      message: "This shop can’t send email. Please contact support.",
      delivered: false,
    },
    status: 200,
    cookies: 0,
  });
});

test("a form is recognised by the last part of its route's pattern", async () => {
  expect((await post("auth/sign-in", { ...account, password: "no" })).result).toMatchObject({
    ok: false,
    message: "Incorrect password. Please try again.",
  });
  await expect(post("/auth/constructor")).rejects.toThrow("no form posts to");
});
