import { createHook } from "node:async_hooks";
import { beforeAll, describe, expect, test } from "vitest";
import { createBetterAuthAuthenticator } from "#adapters/better-auth/better-auth-authenticator.ts";
import { rateLimits } from "#db/tables/operations.ts";
import { ADMIN_EMAIL, ORIGIN, openAccountsShop, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { resetPassword } from "./reset-password.server.ts";
import { ensureFirstAdmin, resetAdminPassword } from "./set-up-admin.server.ts";
import { signInAdmin, signInWithEmail, signUpWithEmail } from "./sign-in.server.ts";

const waiting = 10;
const shop = await openAccountsShop({
  hashLimits: { running: 2, waiting, waitMs: 60_000 },
  // Slow enough for a queue.
  hashCost: { ln: 14, r: 8, p: 1 },
});
/** Refuses every hash as busy. */
const busy = createBetterAuthAuthenticator({
  db: shop.db,
  secret: "another-secret-for-tests-0123456789abcdefghij",
  origin: ORIGIN,
  secureCookies: true,
  log: { debug() {}, info() {}, warn() {}, error() {} },
  hashLimits: { running: 0, waiting: 0, waitMs: 0 },
});
const email = "asha@example.com";
const password = "kettle-on";

/** Counts the concurrent scrypt operations of this process. `most` returns the maximum so far. */
function countScrypt(): { most: () => number; stop: () => void } {
  const running = new Set<number>();
  let most = 0;
  const hook = createHook({
    init(id, type) {
      if (type !== "SCRYPTREQUEST") return;
      running.add(id);
      most = Math.max(most, running.size);
    },
    before: (id) => void running.delete(id),
  }).enable();
  return { most: () => most, stop: () => void hook.disable() };
}

async function codesOf(attempts: Promise<unknown>[]): Promise<string[]> {
  const results = await Promise.allSettled(attempts);
  return results.map((one) => (one.status === "fulfilled" ? "signed in" : String(one.reason.code)));
}

beforeAll(async () => {
  await signUpWithEmail(shop.visitor(), { email, password });
  await ensureFirstAdmin(shop.system(), { password: "the-owners-own-words" });
});

test("sixty parallel sign-ins hash at most two passwords at a time, and each gets a result", async () => {
  const scrypt = countScrypt();
  const attempts = Array.from({ length: 60 }, (_, n) => {
    const browser = new TestBrowser(`198.51.100.${n}`);
    if (n % 3 === 0)
      return signInWithEmail(shop.visitor(browser), { email: `nobody${n}@example.com`, password });
    const input = { email: n % 3 === 1 ? email : `admin${n}@example.com`, password, form: "page" };
    return signInAdmin(shop.visitor(browser), input);
  });
  const codes = await codesOf(attempts);
  scrypt.stop();
  expect(scrypt.most()).toBe(2);
  const countOf = (code: string) => codes.filter((one) => one === code).length;
  expect(countOf("sign-in-busy")).toBeGreaterThan(0);
  const checked = countOf("user-not-found") + countOf("invalid-admin-credentials");
  expect(checked).toBeGreaterThanOrEqual(2 + waiting);
  expect(checked + countOf("sign-in-busy")).toBe(60);
});

describe("while the shop is too busy to check passwords", () => {
  const visitor = () => shop.ctx({ kind: "visitor" }, new TestBrowser(), { authenticator: busy });
  const admin = { email: ADMIN_EMAIL, password };
  const attempts: [string, () => Promise<unknown>][] = [
    ["a sign-in", () => signInWithEmail(visitor(), { email, password })],
    [
      "a sign-in of an unknown address",
      () => signInWithEmail(visitor(), { email: "no@example.com", password }),
    ],
    ["a sign-up", () => signUpWithEmail(visitor(), { email: "new@example.com", password })],
    ["an admin sign-in on the page", () => signInAdmin(visitor(), { ...admin, form: "page" })],
    ["an admin sign-in on the inline form", () => signInAdmin(visitor(), { ...admin, form: "inline" })],
    ["an admin sign-in of a buyer", () => signInAdmin(visitor(), { email, password, form: "page" })],
    ["the reset of the admin's password", () => resetAdminPassword(shop.system({ authenticator: busy }))],
  ];
  test.each(attempts)("%s is refused as busy and does not count for a limit", async (_what, attempt) => {
    await shop.db.delete(rateLimits);
    for (let n = 0; n < 25; n++) await expect(attempt()).rejects.toMatchObject({ code: "sign-in-busy" });
    const counters = await shop.db.select().from(rateLimits);
    expect(counters.filter(({ points }) => points !== 0)).toEqual([]);
  });

  test("a password reset is refused as busy while the shop checks too many passwords, and its link stays valid", async () => {
    const token = (await shop.authenticator.makeResetToken(email)) ?? "";
    const input = { token, newPassword: "kettle-off" };
    await expect(resetPassword(visitor(), input)).rejects.toMatchObject({ code: "sign-in-busy" });
    await resetPassword(shop.visitor(), input);
    await signInWithEmail(shop.visitor(), { email, password: "kettle-off" });
  });
});

test("a sign-in does not wait in the queue to replace an outdated hash, and one on a quiet shop replaces it", async () => {
  const strict = createBetterAuthAuthenticator({
    db: shop.db,
    secret: "another-secret-for-tests-0123456789abcdefghij",
    origin: ORIGIN,
    secureCookies: true,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    hashLimits: { running: 1, waiting, waitMs: 60_000 },
    hashCost: { ln: 13, r: 8, p: 1 },
  });
  const account = { email: "outdated@example.com", password };
  await signUpWithEmail(shop.visitor(), account);
  const signIn = () => strict.signInEmail(account, new TestBrowser());
  const readHash = async () => (await strict.checkPassword(account)).passwordHash;
  let isBusy = true;
  const keepBusy = async () => {
    while (isBusy) await strict.hashPassword(password);
  };
  const hashBefore = await readHash();
  const hashes = [keepBusy(), keepBusy()];
  await signIn();
  expect(await readHash()).toBe(hashBefore);
  isBusy = false;
  await Promise.all(hashes);
  await signIn();
  expect(await readHash()).not.toBe(hashBefore);
});
