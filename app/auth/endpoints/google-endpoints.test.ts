import { createStaticHandler, RouterContextProvider } from "react-router";
import { expect, onTestFinished, test } from "vitest";
import type { Context } from "#core/context.ts";
import hindi from "#languages/hi/screens.json" with { type: "json" };
import { signInAtProvider } from "#tests/fake-google/sign-in-at-provider.ts";
import { ORIGIN, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { openGoogleShop, person } from "#tests/fixtures/google-shop.ts";
import { requestInfo, shopContext } from "../../request/request-context.ts";
import { addCatalogue, followLanguage } from "../../ui/texts/texts.ts";
import { action as api } from "./auth-api.ts";
import { loader as callback } from "./google-callback.ts";
import { loader as start } from "./google-start.ts";

const shop = await openGoogleShop();
const NONCE = "nonce-of-the-page";
const { queryRoute } = createStaticHandler([
  { id: "start", path: "/api/auth/google/start", loader: start },
  { id: "callback", path: "/api/auth/callback/google", loader: callback },
  { id: "api", path: "/api/auth/*", action: api },
]);

/** A browser opens an address of the shop. */
async function open(browser: TestBrowser, path: string, options: { ctx?: Context; method?: string } = {}) {
  const requestContext = new RouterContextProvider();
  requestContext.set(shopContext, options.ctx ?? shop.visitor(browser));
  requestContext.set(requestInfo, {
    nonce: NONCE,
    requestId: "test",
    showsVideo: () => undefined,
    waitToRender: async () => () => undefined,
  });
  const request = new Request(new URL(path, ORIGIN), { method: options.method ?? "GET" });
  const response: unknown = await queryRoute(request, { requestContext });
  if (!(response instanceof Response)) throw new Error("the endpoint returned no response");
  browser.keep(response.headers.getSetCookie());
  return response;
}

/** What the document hands to the page that waits. */
function resultIn(html: string): unknown {
  const [, json = ""] = /<script type="application\/json" id="result">(.*?)<\/script>/.exec(html) ?? [];
  return JSON.parse(json);
}

async function signIn(query: string, browser = new TestBrowser()) {
  shop.google.state.automatic = person({ email: `${browser.ipAddress}-${Math.random()}@example.com` });
  const begun = await open(browser, `/api/auth/google/start?${query}`);
  const back = await signInAtProvider(begun.headers.get("location") ?? "");
  const ended = await open(browser, back.pathname + back.search);
  return { begun, ended, browser };
}

test("the window of a sign-in with Google ends with a document that tells the page, starts the session and keeps its opener", async () => {
  const { begun, ended, browser } = await signIn("mode=popup&attempt=tab-1");
  expect(begun.status).toBe(302);
  expect(ended.status).toBe(200);
  for (const { headers } of [begun, ended]) {
    expect(headers.get("cross-origin-opener-policy")).toBe("unsafe-none");
    expect(headers.get("cache-control")).toBe("no-store");
  }
  const html = await ended.text();
  expect(resultIn(html)).toMatchObject({
    mode: "popup",
    result: { type: "google-sign-in", attemptId: "tab-1", ok: true },
  });
  expect(html).toContain(`<script nonce="${NONCE}">`);
  expect([...browser.cookies.keys()].sort()).toEqual([
    "__Host-daypass.known_browser",
    "__Host-daypass.session_token",
  ]);
});

test("a page that went to Google itself goes straight back to where it was", async () => {
  const { ended } = await signIn("mode=page&returnTo=%2Fshop%2Fcanva%3Fa%3Db");
  expect(ended.status).toBe(302);
  expect(ended.headers.get("location")).toBe("/shop/canva?a=b");
});

test("a page whose address has letters of India goes back to it after a sign-in with Google", async () => {
  const { ended } = await signIn(`mode=page&returnTo=${encodeURIComponent("/shop/canva?q=कैनवा")}`);
  expect(ended.status).toBe(302);
  expect(ended.headers.get("location")).toBe("/shop/canva?q=%E0%A4%95%E0%A5%88%E0%A4%A8%E0%A4%B5%E0%A4%BE");
});

test.each([
  "%2F%2Fevil.example",
  "https%3A%2F%2Fevil.example",
  "%2F%5Cevil.example",
])("a page that asks Google for %s goes back to the home page", async (returnTo) => {
  const { ended } = await signIn(`mode=page&returnTo=${returnTo}`);
  expect(ended.headers.get("location")).toBe("/");
});

test("a failed sign-in with Google shows the message and hands it to the page, and ends the attempt", async () => {
  const browser = new TestBrowser();
  shop.google.state.automatic = "cancel";
  const begun = await open(browser, "/api/auth/google/start?mode=popup&attempt=tab-2");
  const back = await signInAtProvider(begun.headers.get("location") ?? "");
  const ended = await open(browser, back.pathname + back.search);
  expect(ended.status).toBe(403);
  const html = await ended.text();
  expect(html).toContain("<p>Sign-in cancelled. Please try again.</p>");
  expect(resultIn(html)).toMatchObject({
    result: { attemptId: "tab-2", ok: false, message: "Sign-in cancelled. Please try again." },
  });
  expect([...browser.cookies.keys()]).toEqual([]);
});

test("a token of Google from the future is a malformed request", async () => {
  onTestFinished(() => {
    shop.google.state.clockAheadSeconds = 0;
  });
  shop.google.state.clockAheadSeconds = 3_600;
  const { ended, browser } = await signIn("mode=popup&attempt=tab-3");
  expect(ended.status).toBe(400);
  expect(await ended.text()).toContain("<p>An error occurred during authentication. Please try again.</p>");
  expect([...browser.cookies.keys()]).toEqual([]);
});

test("a failed sign-in with Google writes no text of the address or of the provider as HTML", async () => {
  const browser = new TestBrowser();
  shop.google.state.automatic = person();
  const begun = await open(browser, "/api/auth/google/start?mode=page&returnTo=/%22%3E%3Cscript%3E");
  const state = new URL(begun.headers.get("location") ?? "").searchParams.get("state");
  const description = "x</script><script>alert(1)</script>";
  const query = new URLSearchParams({ state: state ?? "", error: "e", error_description: description });
  const iss = `&iss=${encodeURIComponent(shop.google.issuer)}`;
  const html = await (await open(browser, `/api/auth/callback/google?${query}${iss}`)).text();
  expect(html.match(/<script/g)).toHaveLength(2);
  expect(html).toContain('href="/&#34;&#62;&#60;script&#62;"');
  expect(resultIn(html)).toMatchObject({ result: { message: "x/scriptscriptalert(1)/script" } });
});

test("an answer of Google without an attempt of this browser is an error, whatever the address says", async () => {
  const ended = await open(
    new TestBrowser(),
    "/api/auth/callback/google?error=access_denied&error_description=Call+this+number&state=x",
  );
  expect(await ended.text()).toContain("<p>An error occurred during authentication. Please try again.</p>");
});

test("a failed connection to Google is shown as 'Failed to sign in with Google', and is logged", async () => {
  const browser = new TestBrowser();
  const unreachable = shop.providerOf({ ...shop.google, discoveryUrl: "http://127.0.0.1:9/none" });
  shop.logged.length = 0;
  const ctx = shop.visitor(browser, unreachable);
  const ended = await open(browser, "/api/auth/google/start?mode=popup&attempt=a", { ctx });
  expect(ended.status).toBe(500);
  expect(resultIn(await ended.text())).toMatchObject({
    result: { ok: false, message: "Failed to sign in with Google" },
  });
  expect(shop.logged).toHaveLength(1);
});

test("a sign-in with Google without a provider is a sign-in method that is not enabled", async () => {
  const browser = new TestBrowser();
  const ctx = shop.ctx({ kind: "visitor" }, browser);
  for (const path of ["/api/auth/google/start", "/api/auth/callback/google?code=a&state=b"]) {
    const ended = await open(browser, path, { ctx });
    expect(ended.status).toBe(403);
    expect(await ended.text()).toContain("This sign-in method is not enabled. Please contact support.");
  }
});

test("the account API names the address where a sign-in with Google starts", async () => {
  const response = await open(new TestBrowser(), "/api/auth/sign-in/social", { method: "POST" });
  expect(await response.json()).toEqual({ url: `${ORIGIN}/api/auth/google/start`, redirect: true });
});

test("the document of a sign-in with Google is in the language of the request", async () => {
  addCatalogue("hi", hindi);
  followLanguage(() => "hi");
  onTestFinished(() => followLanguage(() => "en"));
  const { ended } = await signIn("mode=popup&attempt=tab-1");
  const html = await ended.text();
  expect(html).toContain('<html lang="hi-IN">');
  expect(html).toContain("<title>Google से साइन इन</title>");
  expect(html).toContain("आप साइन इन हो गए हैं। अब यह विंडो बंद कर सकते हैं।");
  const refused = await open(new TestBrowser(), "/api/auth/callback/google?state=wrong&code=x");
  expect(await refused.text()).toContain("दुकान पर वापस जाएँ");
});
