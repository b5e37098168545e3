import { once } from "node:events";
import { createServer } from "node:http";
import { createStaticHandler, RouterContextProvider } from "react-router";
import { expect, test } from "vitest";
import { signUpWithEmail } from "#core/accounts/sign-in.server.ts";
import { findSignInPage, readSignInConditions } from "#core/accounts/sign-in-diagnostics.server.ts";
import type { Context } from "#core/context.ts";
import { LIMITS } from "#core/rate-limits/rate-limits.ts";
import { ORIGIN, openAccountsShop, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { openGoogleShop, startProvider } from "#tests/fixtures/google-shop.ts";
import { shopContext } from "../../request/request-context.ts";
import { action, loader } from "./diagnostics.ts";

const shop = await openGoogleShop();
const PROBE = "0123456789abcdef".repeat(2);
const routes = ["/auth/diagnostics", "/auth/diagnostics/provider"].map((path) => {
  return { id: path, path, loader, action };
});
const { queryRoute } = createStaticHandler(routes);

/** A request of a browser, which keeps the cookies of the response. */
async function send(browser: TestBrowser, path: string, options: { ctx?: Context; body?: object } = {}) {
  const requestContext = new RouterContextProvider();
  requestContext.set(shopContext, options.ctx ?? shop.visitor(browser));
  const request = new Request(new URL(path, ORIGIN), {
    ...(options.body && {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(options.body),
    }),
  });
  const response: unknown = await queryRoute(request, { requestContext });
  if (!(response instanceof Response)) throw new Error("the endpoint returned no response");
  browser.keep(response.headers.getSetCookie());
  expect(response.headers.get("cache-control")).toBe("no-store");
  const body: unknown = await response.json();
  return { status: response.status, body, cookies: response.headers.getSetCookie() };
}

test("the diagnostics set a cookie like the session's, read it back, and remove it", async () => {
  const browser = new TestBrowser();
  const begun = await send(browser, "/auth/diagnostics", { body: { probe: PROBE } });
  expect(begun.cookies).toEqual([
    `__Host-daypass.diagnostics=${PROBE}; Max-Age=60; Path=/; HttpOnly; SameSite=Lax; Secure`,
  ]);
  const { body } = await send(browser, `/auth/diagnostics?probe=${PROBE}`);
  expect(body).toMatchObject({ sessionCookie: true, signedIn: false, origin: ORIGIN });
  expect([...browser.cookies]).toEqual([]);
  const again = await send(browser, `/auth/diagnostics?probe=${PROBE}`);
  expect(again.body).toMatchObject({ sessionCookie: false });
  expect((await send(browser, "/auth/diagnostics?probe=")).body).toMatchObject({ sessionCookie: false });
});

test("the diagnostics say whether the cookie of the page arrived, and whether the session is valid", async () => {
  const browser = new TestBrowser();
  const begin = async () => (await send(browser, "/auth/diagnostics", { body: { probe: PROBE } })).body;
  expect(await begin()).toMatchObject({ pageCookie: false });
  browser.cookies.set("daypass.cookie_check", PROBE);
  expect(await begin()).toMatchObject({ pageCookie: true });
  const account = { email: "asha@example.com", password: "kettle-on" };
  browser.keep((await signUpWithEmail(shop.visitor(browser), account)).setCookies);
  const ctx = await shop.as(browser);
  const { body } = await send(browser, "/auth/diagnostics", { ctx });
  expect(body).toMatchObject({ signedIn: true });
  expect(JSON.stringify(body)).not.toContain("asha");
});

test.each([
  {},
  { probe: "short" },
  { probe: `${PROBE}; Path=/` },
  { probe: 1 },
])("the diagnostics refuse the probe %o and set no cookie", async (body) => {
  const refused = await send(new TestBrowser(), "/auth/diagnostics", { body });
  expect(refused).toMatchObject({ status: 422, cookies: [] });
});

test("the diagnostics name the provider's sign-in page, where a provider is configured", async () => {
  const known = await send(new TestBrowser(), "/auth/diagnostics/provider");
  expect(known.body).toMatchObject({ provider: { state: "known", url: `${shop.google.issuer}/auth` } });
  const ctx = shop.ctx({ kind: "visitor" }, new TestBrowser());
  const { body } = await send(new TestBrowser(), "/auth/diagnostics/provider", { ctx });
  expect(body).toMatchObject({ provider: { state: "not-configured" } });
});

test("the diagnostics name the provider's configuration when its sign-in page is on another host", async () => {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ issuer, authorization_endpoint: "https://elsewhere.example/sign-in" }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const discoveryUrl = `${issuer}/.well-known/openid-configuration`;
  const ctx = shop.visitor(new TestBrowser(), shop.providerOf({ ...shop.google, discoveryUrl }));
  const { body } = await send(new TestBrowser(), "/auth/diagnostics/provider", { ctx });
  expect(body).toMatchObject({ provider: { state: "known", url: discoveryUrl } });
  server.close();
});

test("the diagnostics tell a provider apart that the shop cannot reach, and log it", async () => {
  const google = await startProvider();
  await google.close();
  shop.logged.length = 0;
  const ctx = shop.visitor(new TestBrowser(), shop.providerOf(google));
  const { body } = await send(new TestBrowser(), "/auth/diagnostics/provider", { ctx });
  expect(body).toMatchObject({ provider: { state: "unreachable" } });
  expect(shop.logged).toHaveLength(1);
});

test("the diagnostics answer a browser only, and an address that asks too often has to wait", async () => {
  for (const operation of [readSignInConditions, findSignInPage]) {
    await expect(operation(shop.system())).rejects.toMatchObject({ code: "forbidden" });
  }
  const limited = await openAccountsShop({ perAddressFactor: 0.1 });
  const ctx = () => limited.visitor(new TestBrowser("203.0.113.90"));
  for (let n = 0; n < Math.round(LIMITS["diagnostics-address"].maxAttempts * 0.1); n++) {
    await (n % 2 === 0 ? readSignInConditions : findSignInPage)(ctx());
  }
  const refused = await send(new TestBrowser(), "/auth/diagnostics/provider", { ctx: ctx() });
  expect(refused).toMatchObject({ status: 429, body: { code: "diagnostics-too-fast" } });
});
