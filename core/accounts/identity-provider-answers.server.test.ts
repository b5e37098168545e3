import { once } from "node:events";
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { ORIGIN, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { openGoogleShop, person, startProvider } from "#tests/fixtures/google-shop.ts";
import { finishGoogleSignIn, readGoogleAttempt, startGoogleSignIn } from "./google-sign-in.server.ts";
import { GOOGLE_CALLBACK_PATH } from "./identity-provider.ts";

const shop = await openGoogleShop();
const { visitor, comeBack, google, signIn, logged } = shop;

test("the refusal of the person at the provider is a cancelled sign-in", async () => {
  await expect(signIn("cancel")).rejects.toMatchObject({ code: "sign-in-cancelled" });
});

test("an answer of the provider is refused with the provider's own message, when it gives one", async () => {
  const browser = new TestBrowser();
  const answer = await comeBack(person(), browser);
  answer.searchParams.delete("code");
  answer.searchParams.set("error", "server_error");
  answer.searchParams.set("error_description", "The <b>directory</b> is down");
  await expect(finishGoogleSignIn(visitor(browser), answer)).rejects.toMatchObject({
    code: "authentication-failed",
    details: { message: "The bdirectory/b is down" },
  });
});

test.each<[string, (answer: URL, browser: TestBrowser) => void]>([
  ["with another state", (answer) => answer.searchParams.set("state", "another")],
  ["without a state", (answer) => answer.searchParams.delete("state")],
  ["with another code", (answer) => answer.searchParams.set("code", "another")],
  ["of another provider", (answer) => answer.searchParams.set("iss", "https://other.example")],
  ["in another browser", (_answer, browser) => browser.cookies.clear()],
  ["with a changed cookie", changeCookie],
  [
    "with an error that the provider did not send",
    (answer) => {
      answer.search = "?error=access_denied&error_description=Call+this+number";
    },
  ],
])("an answer of the provider is refused %s, without a message of its own", async (_case, change) => {
  const browser = new TestBrowser();
  const answer = await comeBack(person(), browser);
  change(answer, browser);
  await expect(finishGoogleSignIn(visitor(browser), answer)).rejects.toMatchObject({
    code: "authentication-failed",
    details: {},
  });
});

test("an answer of the provider with a token from the future is refused, and one of a clock that is a little ahead is accepted", async () => {
  onTestFinished(() => {
    google.state.clockAheadSeconds = 0;
  });
  google.state.clockAheadSeconds = 25;
  await signIn(person());
  google.state.clockAheadSeconds = 90;
  await expect(signIn(person())).rejects.toMatchObject({ code: "identity-not-yet-valid" });
});

test("an answer of the provider is accepted once", async () => {
  const browser = new TestBrowser();
  const answer = await comeBack(person(), browser);
  await finishGoogleSignIn(visitor(browser), answer);
  const again = finishGoogleSignIn(visitor(browser), answer);
  await expect(again).rejects.toMatchObject({ code: "authentication-failed" });
});

test("an answer of the provider counts for the limit of the address unless it signs somebody in, and no log holds its code", async () => {
  const browser = new TestBrowser("198.51.100.9");
  logged.length = 0;
  for (let n = 0; n < 3; n++) await signIn(person(), browser);
  const answer = await comeBack(person(), browser);
  const code = answer.searchParams.get("code") ?? "";
  answer.searchParams.set("state", "another");
  const outcomes: unknown[] = [];
  for (let n = 0; n < 101; n++)
    outcomes.push(
      await finishGoogleSignIn(visitor(browser), answer).catch((error: { code?: string }) => error.code),
    );
  expect(outcomes.filter((one) => one === "authentication-failed")).toHaveLength(100);
  expect(outcomes.at(-1)).toBe("sign-in-rate-limited");
  expect(code).not.toBe("");
  expect(JSON.stringify(logged)).not.toContain(code);
});

function changeCookie(_answer: URL, browser: TestBrowser): void {
  for (const [name, value] of browser.cookies) browser.cookies.set(name, `A${value}`);
}

test("the attempt of a sign-in keeps where the browser returns to, and only within the shop", async () => {
  const browser = new TestBrowser();
  const returnTo = async (path: unknown) => {
    const input = { mode: "page", returnTo: path, attemptId: "tab-1" };
    browser.keep((await startGoogleSignIn(visitor(browser), input, ORIGIN)).setCookies);
    return readGoogleAttempt(visitor(browser))?.attempt;
  };
  expect(await returnTo("/shop/canva?from=home")).toEqual({
    mode: "page",
    returnTo: "/shop/canva?from=home",
    attemptId: "tab-1",
  });
  expect((await returnTo("/shop/कैनवा?q=é"))?.returnTo).toBe(
    "/shop/%E0%A4%95%E0%A5%88%E0%A4%A8%E0%A4%B5%E0%A4%BE?q=%C3%A9",
  );
  expect((await returnTo("/\ud800"))?.returnTo).toBe("/");
  expect((await returnTo(`/${"क".repeat(200)}`))?.returnTo).toBe("/");
  for (const path of ["//evil.example", "/\\evil.example", "https://evil.example", "/a\nb", 7, "x"])
    expect((await returnTo(path))?.returnTo, String(path)).toBe("/");
});

test("the attempt of a sign-in asks with PKCE, a state and a nonce, each new, and its cookie holds no secret of the shop", async () => {
  const start = () => startGoogleSignIn(visitor(new TestBrowser()), {}, ORIGIN);
  const [first, second] = [await start(), await start()];
  const query = new URL(first.url).searchParams;
  expect(Object.fromEntries(query)).toMatchObject({
    response_type: "code",
    code_challenge_method: "S256",
    scope: "openid email profile",
    redirect_uri: `${ORIGIN}${GOOGLE_CALLBACK_PATH}`,
  });
  for (const name of ["state", "nonce", "code_challenge"]) {
    expect(query.get(name)?.length ?? 0, name).toBeGreaterThan(30);
    expect(query.get(name)).not.toBe(new URL(second.url).searchParams.get(name));
  }
  expect(first.setCookies.join()).toMatch(
    /^__Host-daypass\.google_sign_in=.+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  );
  expect(first.setCookies.join()).not.toContain(shop.google.clientSecret);
});

test("the attempt of a sign-in is over after ten minutes", async () => {
  const browser = new TestBrowser();
  const answer = await comeBack(person(), browser);
  const realNow = Date.now;
  try {
    Date.now = () => realNow() + 10 * 60_000 + 1;
    expect(readGoogleAttempt(visitor(browser))).toBeNull();
    await expect(finishGoogleSignIn(visitor(browser), answer)).rejects.toMatchObject({
      code: "authentication-failed",
    });
  } finally {
    Date.now = realNow;
  }
});

test.each([
  ["client_secret_post", true],
  ["client_secret_basic", false],
] as const)("an OpenID provider that wants the secret by %s, with email in the ID token: %s, signs in", async (way, inToken) => {
  const google = await startProvider({ clientAuthentication: way, claimsInIdToken: inToken });
  const provider = shop.providerOf(google);
  const [who, browser] = [person(), new TestBrowser()];
  const answer = await comeBack(who, browser, { google, provider });
  const { user } = await finishGoogleSignIn(visitor(browser, provider), answer);
  expect(user.email).toBe(who.email);
  await google.close();
});

test("an OpenID provider that cannot be reached is a fault and no refusal", async () => {
  const google = await startProvider();
  await google.close();
  const ctx = visitor(new TestBrowser(), shop.providerOf(google));
  for (const _ of [1, 2]) await expect(startGoogleSignIn(ctx, {}, ORIGIN)).rejects.toThrow(/fetch/);
});

test("an OpenID provider whose configuration fails is asked once in half a minute, however many visitors come", async () => {
  let [requests, isDown] = [0, true];
  const google = await startProvider();
  const broken = createServer((_request, response) => {
    requests++;
    const body = isDown ? "{}" : JSON.stringify({ issuer: google.issuer });
    response.writeHead(isDown ? 503 : 200, { "content-type": "application/json" }).end(body);
  });
  broken.listen(0, "127.0.0.1");
  await once(broken, "listening");
  onTestFinished(async () => {
    broken.close();
    await google.close();
  });
  const address = broken.address();
  const port = typeof address === "object" ? address?.port : 0;
  const discoveryUrl = `http://127.0.0.1:${port}/.well-known/openid-configuration`;
  const provider = shop.providerOf({ ...google, discoveryUrl });
  const start = () => startGoogleSignIn(visitor(new TestBrowser(), provider), {}, ORIGIN);
  await Promise.allSettled(Array.from({ length: 20 }, start));
  await expect(start()).rejects.toThrow();
  expect(requests).toBe(1);
  const realNow = Date.now;
  try {
    Date.now = () => realNow() + 30_001;
    isDown = false;
    await start().catch(() => undefined);
    expect(requests).toBe(2);
  } finally {
    Date.now = realNow;
  }
});
