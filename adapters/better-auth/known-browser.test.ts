import { expect, test, vi } from "vitest";
import { createKnownBrowserCookie } from "./sessions.ts";

const secret = "a-secret-for-tests-0123456789abcdefghijklmnop";
const cookie = createKnownBrowserCookie({ secret, secure: true });
const requestWith = (setCookie?: string) => ({
  headers: new Headers(setCookie === undefined ? {} : { cookie: `theme=dark; ${setCookie.split(";")[0]}` }),
  ipAddress: "203.0.113.7",
});
const signInTo = (userIds: string[], from?: string) =>
  userIds.reduce<string | undefined>((held, userId) => cookie.remember(userId, requestWith(held)), from) ??
  "";
const accountsOf = (setCookie: string) =>
  cookie.knownAccounts(requestWith(setCookie)).map(({ userId }) => userId);

test("the cookie of a known browser is kept 180 days, from scripts and from other sites", () => {
  const [pair, ...attributes] = signInTo(["asha"]).split("; ");
  expect(pair).toMatch(/^__Host-daypass\.known_browser=asha\./);
  expect(attributes).toEqual(["Max-Age=15552000", "Path=/", "HttpOnly", "SameSite=Lax", "Secure"]);
  const plain = createKnownBrowserCookie({ secret, secure: false });
  expect(plain.remember("asha", requestWith())).toMatch(/^daypass\.known_browser=/);
});

test("a browser is known to the last five accounts that signed in", () => {
  expect(cookie.knownAccounts(requestWith())).toEqual([]);
  const setCookie = signInTo(["a", "b", "c", "b"]);
  expect(accountsOf(setCookie)).toEqual(["b", "c", "a"]);
  expect(accountsOf(signInTo(["d", "e", "f"], setCookie))).toEqual(["f", "e", "d", "b", "c"]);
});

test("a browser keeps its id at the next sign-in; another browser has another id", () => {
  const first = signInTo(["a"]);
  const idOf = (setCookie: string) => cookie.knownAccounts(requestWith(setCookie))[0]?.browserId;
  expect(idOf(signInTo(["a"], first))).toBe(idOf(first));
  expect(idOf(signInTo(["a"]))).not.toBe(idOf(first));
});

test("a cookie entry that was changed, signed with another secret, or is 180 days old is not accepted", () => {
  const valid = signInTo(["asha"]);
  expect(accountsOf(valid)).toEqual(["asha"]);
  expect(accountsOf(valid.replace("asha", "owner"))).toEqual([]);
  const foreign = createKnownBrowserCookie({ secret: "another", secure: true });
  expect(accountsOf(foreign.remember("asha", requestWith()))).toEqual([]);
  for (const value of ["", "x", "a.b.c.d", "~~~", "asha.b.NaN."])
    expect(accountsOf(`__Host-daypass.known_browser=${value}`)).toEqual([]);
  vi.useFakeTimers({ now: Date.now() + 180 * 86_400_000, toFake: ["Date"] });
  try {
    expect(accountsOf(valid)).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});
