import { createStaticHandler, RouterContextProvider } from "react-router";
import { describe, expect, test } from "vitest";
import { ORIGIN, openAccountsShop, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { shopContext } from "../../request/request-context.ts";
import { action, loader } from "./auth-api.ts";

const shop = await openAccountsShop({ perAddressFactor: 0 });
const { queryRoute } = createStaticHandler([{ id: "api", path: "/api/auth/*", loader, action }]);
const account = { email: "asha@example.com", password: "kettle-on" };

async function call(method: string, path: string, body?: unknown, browser = new TestBrowser()) {
  const request = new Request(`${ORIGIN}/api/auth/${path}`, {
    method,
    headers: { "content-type": "application/json" },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const requestContext = new RouterContextProvider();
  requestContext.set(shopContext, await shop.as(browser));
  const response: unknown = await queryRoute(request, { requestContext });
  if (!(response instanceof Response)) throw new Error("the endpoint returned no response");
  browser.keep(response.headers.getSetCookie());
  const text = await response.text();
  return { response, text, body: JSON.parse(text), browser };
}

test("an account signs up, reads its session, signs out and signs in again", async () => {
  const signedUp = await call("POST", "sign-up/email", account);
  expect(signedUp.response.status).toBe(200);
  const { user } = signedUp.body;
  expect(signedUp.body).toEqual({ user: { id: user.id, email: account.email, displayName: "" } });

  const session = await call("GET", "get-session", undefined, signedUp.browser);
  expect(session.body).toEqual({ user: { id: user.id, email: account.email, name: "", role: "user" } });

  const signedOut = await call("POST", "sign-out", undefined, signedUp.browser);
  expect(signedOut.body).toEqual({ success: true });
  expect((await call("GET", "get-session", undefined, signedOut.browser)).body).toBeNull();

  const signedIn = await call("POST", "sign-in/email", account, signedOut.browser);
  expect(signedIn.body).toEqual(signedUp.body);
  expect([...signedIn.browser.cookies.keys()].map((name) => name.split(".").at(-1)).sort()).toEqual([
    "known_browser",
    "session_token",
  ]);
});

test("the session token is in the cookie only, and no cache stores the response", async () => {
  const { response, text, browser } = await call("POST", "sign-in/email", account);
  const [cookie = ""] = browser.cookies.values();
  const token = decodeURIComponent(cookie).split(".")[0] ?? "";
  expect(token.length).toBeGreaterThan(20);
  expect(text).not.toContain(token);
  expect(response.headers.get("cache-control")).toBe("no-store");
});

describe("the account API", () => {
  const cases: [string, string, unknown, number, string, string][] = [
    [
      "POST",
      "sign-in/email",
      { ...account, password: "no" },
      401,
      "wrong-password",
      "Incorrect password. Please try again.",
    ],
    [
      "POST",
      "sign-in/email",
      { ...account, email: "nobody@example.com" },
      401,
      "user-not-found",
      "No account found with this email. Please check your email or sign up.",
    ],
    ["POST", "sign-in/email", "{not json", 422, "invalid-input", "Please check what you entered."],
    [
      "POST",
      "sign-up/email",
      account,
      409,
      "email-in-use",
      "This email is already in use. Try signing in instead.",
    ],
    [
      "POST",
      "sign-in/social",
      { provider: "google" },
      403,
      "sign-in-method-disabled",
      "This sign-in method is not enabled. Please contact support.",
    ],
    [
      "POST",
      "request-password-reset",
      { email: "nobody@example.com" },
      401,
      "user-not-found",
      "No account found with this email. Please check your email or sign up.",
    ],
    [
      "POST",
      "request-password-reset",
      { email: "asha" },
      422,
      "invalid-input",
      "Please enter a valid email address",
    ],
  ];
  test.each(
    cases,
  )("the account API refuses %s %s with %j", async (method, path, body, status, code, message) => {
    const { response, body: answer } = await call(method, path, body);
    expect(response.status).toBe(status);
    expect(answer).toMatchObject({ code, message });
    expect(response.headers.getSetCookie()).toEqual([]);
  });

  test.each([
    ["GET", "sign-in/email"],
    ["POST", "get-session"],
    ["POST", "change-password"],
    ["GET", "list-sessions"],
    ["POST", "update-user"],
    ["POST", "constructor"],
    ["GET", ""],
  ])("the account API has no endpoint %s %s", async (method, path) => {
    const { response, body } = await call(method, path, method === "POST" ? {} : undefined);
    expect(response.status).toBe(404);
    expect(body.code).toBe("not-found");
  });
});

test("the account API says that the shop cannot send mail when a password reset is requested without a mail server", async () => {
  const { response, body } = await call("POST", "request-password-reset", { email: account.email });
  expect(response.status).toBe(200);
  expect(body).toEqual({
    success: true,
    message: "This shop can’t send email. Please contact support.",
    delivered: false,
  });
});

test("the account API refuses too many failed sign-ins with the seconds to wait", async () => {
  const attempt = () => call("POST", "sign-in/email", { email: "many@example.com", password: "no" });
  for (let n = 0; n < 10; n++) expect((await attempt()).response.status).toBe(401);
  const { response, body } = await attempt();
  expect(response.status).toBe(429);
  expect(body.message).toBe("Too many failed sign-in attempts. Please try again later.");
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(800);
});
