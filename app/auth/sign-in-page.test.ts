import { RouterContextProvider } from "react-router";
import { expect, test } from "vitest";
import { signUpWithEmail } from "#core/accounts/sign-in.server.ts";
import type { Context } from "#core/context.ts";
import { ORIGIN, openAccountsShop, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { shopContext } from "../request/request-context.ts";
import { action, loader } from "./sign-in-page.tsx";

const shop = await openAccountsShop();
const account = { email: "asha@example.com", password: "kettle-on" };

function argsFor(path: string, ctx: Context, fields?: Record<string, string>) {
  const context = new RouterContextProvider();
  context.set(shopContext, ctx);
  const url = new URL(path, ORIGIN);
  const request = new Request(url, fields && { method: "POST", body: new URLSearchParams(fields) });
  return { request, url, pattern: path, params: {}, context };
}

test("the sign-in page creates an account, signs in, and goes to the home page with the session", async () => {
  for (const path of ["/sign-up", "/sign-in"] as const) {
    const answer = await action(argsFor(path, shop.visitor(new TestBrowser()), account));
    if (!(answer instanceof Response)) throw new Error("the form was refused");
    expect(answer.headers.get("location")).toBe("/");
    expect(answer.headers.getSetCookie().join()).toContain("session_token=");
  }
});

test("the sign-in page keeps a refused form with its email, and says what is wrong", async () => {
  const fields = { ...account, password: "not-that-one" };
  const answer = await action(argsFor("/sign-in", shop.visitor(new TestBrowser()), fields));
  if (answer instanceof Response) throw new Error("the form was not refused");
  expect(answer.init?.status).toBe(401);
  expect(answer.data).toMatchObject({
    email: account.email,
    fields: { password: ["Incorrect password. Please try again."] },
  });
  expect(JSON.stringify(answer.data)).not.toContain(fields.password);
});

test("the sign-in page sends somebody who is signed in to the dashboard, and a visitor sees it", async () => {
  const browser = new TestBrowser();
  const input = { email: "signed-in@example.com", password: "kettle-on" };
  browser.keep((await signUpWithEmail(shop.visitor(browser), input)).setCookies);
  expect(loader(argsFor("/sign-in", await shop.as(browser)))?.headers.get("location")).toBe("/dashboard");
  expect(loader(argsFor("/sign-in", shop.visitor()))).toBeNull();
});
