import { createHook } from "node:async_hooks";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { authAccounts, sessions, users } from "#db/tables/accounts.ts";
import { openAccountsShop, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { signInWithEmail, signUpWithEmail } from "./sign-in.server.ts";

const shop = await openAccountsShop();
const password = "kettle-on";

async function account(email: string): Promise<string> {
  return (await signUpWithEmail(shop.visitor(), { email, password })).user.id;
}

beforeAll(async () => {
  await account("asha@example.com");
});

test("the correct password starts a session, whatever the case of the email", async () => {
  const browser = new TestBrowser();
  const { user, setCookies } = await signInWithEmail(shop.visitor(browser), {
    email: " ASHA@example.com",
    password,
  });
  browser.keep(setCookies);
  expect((await shop.as(browser)).actor).toMatchObject({ kind: "user", userId: user.id });
  expect(JSON.stringify(user)).not.toContain([...browser.cookies.values()][0]?.split(".")[0]);
});

test("an address whose domain is in another script signs in", async () => {
  const { user } = await signUpWithEmail(shop.visitor(), { email: "asha@उदाहरण.भारत", password });
  const again = await signInWithEmail(shop.visitor(), { email: "asha@उदाहरण.भारत", password });
  expect(again.user).toEqual(user);
});

describe("a sign-in is refused", () => {
  const attempts: [string, unknown, string][] = [
    ["an unknown email", { email: "nobody@example.com", password }, "user-not-found"],
    ["a wrong password", { email: "asha@example.com", password: "kettle-off" }, "wrong-password"],
    ["a very long password", { email: "asha@example.com", password: "x".repeat(5000) }, "wrong-password"],
    ["a malformed email", { email: "asha", password }, "invalid-email"],
    ["no password", { email: "asha@example.com", password: "" }, "invalid-input"],
  ];
  test.each(attempts)("a sign-in with %s is refused", async (_what, input, code) => {
    await expect(signInWithEmail(shop.visitor(), input)).rejects.toMatchObject({ code });
  });

  test("a sign-in without a browser is refused", async () => {
    const input = { email: "asha@example.com", password };
    await expect(signInWithEmail(shop.system(), input)).rejects.toMatchObject({ code: "forbidden" });
  });

  test("a disabled account is refused as disabled only after the correct password, and no session starts", async () => {
    const userId = await account("gone@example.com");
    await shop.db.delete(sessions).where(eq(sessions.userId, userId));
    await shop.db.update(users).set({ isActive: false }).where(eq(users.id, userId));
    const attempt = (tried: string) =>
      signInWithEmail(shop.visitor(), { email: "gone@example.com", password: tried });
    await expect(attempt("kettle-off")).rejects.toMatchObject({ code: "wrong-password" });
    await expect(attempt(password)).rejects.toMatchObject({ code: "user-disabled" });
    expect(await shop.db.select().from(sessions).where(eq(sessions.userId, userId))).toEqual([]);
  });
});

test("a sign-in checks ten of sixty parallel guesses for an account, and then not even the correct password", async () => {
  await account("target@example.com");
  const attempt = (tried: string) =>
    signInWithEmail(shop.visitor(new TestBrowser("198.51.100.1")), {
      email: "target@example.com",
      password: tried,
    });
  const guesses = Array.from({ length: 60 }, (_, n) => attempt(`guess-${n}`));
  const codes = (await Promise.allSettled(guesses)).map(
    (one) => one.status === "rejected" && one.reason.code,
  );
  expect(codes.filter((code) => code === "wrong-password")).toHaveLength(10);
  expect(codes.filter((code) => code === "sign-in-rate-limited")).toHaveLength(50);
  await expect(attempt(password)).rejects.toMatchObject({ code: "sign-in-rate-limited" });
});

test("a successful sign-in resets the count of failed ones", async () => {
  await account("forgetful@example.com");
  const attempt = (tried: string) =>
    signInWithEmail(shop.visitor(), { email: "forgetful@example.com", password: tried });
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < 9; n++)
      await expect(attempt("kettle-off")).rejects.toMatchObject({ code: "wrong-password" });
    await attempt(password);
  }
});

test("a sign-in sets the cookies of the session and of the known browser for this host, for 30 and 180 days", async () => {
  const { user, setCookies } = await signInWithEmail(shop.visitor(), { email: "asha@example.com", password });
  const [session, knownBrowser, ...others] = setCookies.map((line) => line.split("; "));
  expect(others).toEqual([]);
  expect(session?.[0]).toMatch(/^__Host-daypass\.session_token=\w{32}\.[\w%]+$/);
  expect(session?.slice(1)).toEqual(["Max-Age=2592000", "Path=/", "HttpOnly", "Secure", "SameSite=Lax"]);
  expect(knownBrowser?.[0]).toContain(`__Host-daypass.known_browser=${user.id}.`);
  expect(knownBrowser?.slice(1)).toEqual([
    "Max-Age=15552000",
    "Path=/",
    "HttpOnly",
    "SameSite=Lax",
    "Secure",
  ]);
  const [row] = await shop.db
    .select()
    .from(sessions)
    .where(eq(sessions.token, session?.[0]?.split(/[=.]/)[2] ?? ""));
  expect(row).toMatchObject({ userId: user.id, ipAddress: "203.0.113.7", userAgent: "Test" });
  expect(row?.passwordEnteredAt).not.toBeNull();
});

test("a sign-in hashes once, whether the password is right or wrong, the address unknown or without a password", async () => {
  const userId = await account("without@example.com");
  await shop.db.delete(authAccounts).where(eq(authAccounts.userId, userId));
  let hashes = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === "SCRYPTREQUEST") hashes += 1;
    },
  }).enable();
  const attempt = async (email: string, tried = password) => {
    hashes = 0;
    const result = await signInWithEmail(shop.visitor(), { email, password: tried }).then(
      () => "signed in",
      ({ code }) => code,
    );
    return [result, hashes];
  };
  const tooLong = "x".repeat(4097);
  try {
    expect(await attempt("asha@example.com")).toEqual(["signed in", 1]);
    expect(await attempt("asha@example.com", "kettle-off")).toEqual(["wrong-password", 1]);
    expect(await attempt("without@example.com")).toEqual(["wrong-password", 1]);
    expect(await attempt("nobody@example.com")).toEqual(["user-not-found", 1]);
    expect(await attempt("asha@example.com", tooLong)).toEqual(["wrong-password", 0]);
    expect(await attempt("nobody@example.com", tooLong)).toEqual(["user-not-found", 0]);
  } finally {
    hook.disable();
  }
});

describe("a password whose hash names no parameters", () => {
  /** A hash of `password`, as Better Auth makes it. */
  const unnamed =
    "562404a04b8b9910d677185dbb6f6afb:6e4626c42687be938a79cc150c46005c55b542558c4288b4e4b6a12978d4c07d6a3ba3ac1d8248b4a733c164fc32a80718caafba21410c0495624d5bb7d1355a";

  async function oldAccount(email: string) {
    const userId = await account(email);
    await shop.db.update(authAccounts).set({ password: unnamed }).where(eq(authAccounts.userId, userId));
    const attempt = (tried = password) => signInWithEmail(shop.visitor(), { email, password: tried });
    const readHash = async () => {
      const [row] = await shop.db.select().from(authAccounts).where(eq(authAccounts.userId, userId));
      return row?.password;
    };
    return { userId, attempt, readHash };
  }

  test("a sign-in with a password whose hash names no parameters stores a hash that names them, and the next one keeps that", async () => {
    const { userId, attempt, readHash } = await oldAccount("early@example.com");
    await expect(attempt("kettle-off")).rejects.toMatchObject({ code: "wrong-password" });
    expect(await readHash()).toBe(unnamed);
    const before = await shop.db.$count(sessions, eq(sessions.userId, userId));
    await attempt();
    const renewed = await readHash();
    expect(renewed).toMatch(/^\$scrypt\$ln=\d+,r=8,p=\d\$/);
    await attempt();
    expect(await readHash()).toBe(renewed);
    expect(await shop.db.$count(sessions, eq(sessions.userId, userId))).toBe(before + 2);
  });

  test("eight parallel sign-ins with a password whose hash names no parameters all succeed", async () => {
    const { attempt, readHash } = await oldAccount("everywhere@example.com");
    await Promise.all(Array.from({ length: 8 }, () => attempt()));
    expect(await readHash()).not.toBe(unnamed);
  });
});
