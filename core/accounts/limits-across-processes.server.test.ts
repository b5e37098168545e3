import { like } from "drizzle-orm";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { createPostgresRateLimiter } from "#adapters/rate-limiter/postgres-rate-limiter.ts";
import { openDatabase } from "#db/database.ts";
import { users } from "#db/tables/accounts.ts";
import { rateLimits } from "#db/tables/operations.ts";
import { openAccountsShop, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { LIMITS, type LimitName } from "../rate-limits/rate-limits.ts";
import { requestPasswordReset } from "./reset-password.server.ts";
import { signInWithEmail, signUpWithEmail } from "./sign-in.server.ts";

const shop = await openAccountsShop();
// A second process has a pool and a limiter of its own; the database is all that the two share.
const second = openDatabase(shop.url, { max: 20, onBrokenConnection: () => undefined });
afterAll(() => second.close());
const secondLimiter = createPostgresRateLimiter({ pool: second.pool, perAddressFactor: 1 });

beforeEach(async () => {
  await shop.db.delete(rateLimits);
});

/** A visitor at one of the two processes, whose passwords are checked without the work of a hash. */
function visitorAt(process: number, ipAddress: string): Context {
  const authenticator = {
    ...shop.authenticator,
    hashPassword: async () => "no-hash",
    signInEmail: () => Promise.reject(new DomainError("wrong-password")),
  };
  const isSecond = process % 2 === 1;
  const ctx = shop.ctx({ kind: "visitor" }, new TestBrowser(ipAddress), {
    authenticator,
    ...(isSecond && { rateLimiter: secondLimiter }),
  });
  return isSecond ? { ...ctx, db: second.db } : ctx;
}

/** Makes attempts at once, alternately at the two processes. @returns how many were not refused by `refusal` */
async function passing(attempt: (n: number) => Promise<unknown>, tries: number, refusal: string) {
  const results = await Promise.allSettled(Array.from({ length: tries }, (_, n) => attempt(n)));
  const reasons = results.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  // An attempt that the database did not take in time is neither.
  expect(reasons.filter((reason) => !(reason instanceof DomainError))).toEqual([]);
  const refused = reasons.filter(({ code }) => code === refusal);
  return tries - refused.length;
}

const password = "kettle-on";
const sameEmail = () => "asha@example.com";
const otherEmails = (n: number) => `person${n}@example.com`;
const sameAddress = () => "203.0.113.7";
const otherAddresses = (n: number) => `198.51.100.${n}`;

test.each([
  ["sign-in", "account at an address", "sign-in-account-at-address", signInWithEmail, sameEmail, sameAddress],
  ["sign-in", "account", "sign-in-account", signInWithEmail, sameEmail, otherAddresses],
  ["sign-in", "address", "sign-in-address", signInWithEmail, otherEmails, sameAddress],
  ["sign-up", "account", "sign-up-account", signUpWithEmail, sameEmail, otherAddresses],
  ["sign-up", "address", "sign-up-address", signUpWithEmail, otherEmails, sameAddress],
  ["reset", "account", "reset-account", requestPasswordReset, sameEmail, otherAddresses],
  ["reset", "address", "reset-address", requestPasswordReset, otherEmails, sameAddress],
] as const)("attempts of a %s are limited per %s, over two processes together", async (_what, _of, limit, operation, emailOf, addressOf) => {
  const { maxAttempts, refusal } = LIMITS[limit];
  const attempt = (n: number) => operation(visitorAt(n, addressOf(n)), { email: emailOf(n), password });
  expect(await passing(attempt, maxAttempts + 40, refusal)).toBe(maxAttempts);
});

describe("of new accounts of an address", () => {
  const { maxAttempts: most } = LIMITS["sign-up-address"];
  const signUp = (email: string, n: number) =>
    signUpWithEmail(visitorAt(n, sameAddress()), { email, password });
  const made = (prefix: string) => shop.db.$count(users, like(users.email, `${prefix}%`));
  /** Makes the account, and starts all counts anew. */
  const takeEmail = async (email: string) => {
    await signUp(email, 0).catch(() => undefined);
    await shop.db.delete(rateLimits);
  };
  const countOf = async (limit: LimitName) => {
    const [row] = await shop.db
      .select({ points: rateLimits.points })
      .from(rateLimits)
      .where(like(rateLimits.key, `${limit}:%`));
    return row?.points;
  };
  const codesOf = (results: PromiseSettledResult<unknown>[]) =>
    results.flatMap((one) => (one.status === "rejected" && one.reason.code ? [one.reason.code] : []));

  test("attempts that make no account do not count for the limit of new accounts, also while others are made", async () => {
    await takeEmail("taken@example.com");
    // Each email is tried a few times only, because it has a limit of its own.
    const mistakes = Array.from({ length: 8 }, () => "taken@example.com");
    // Together with their repeats as many as the limit, so that none is refused while it is at work.
    const repeats = 5;
    const wanted = Array.from({ length: most - repeats }, (_, n) => `mixed${n}@example.com`);
    const results = await Promise.allSettled(
      [...mistakes, ...wanted, ...wanted.slice(0, repeats)].map((email, n) => signUp(email, n)),
    );
    expect(await made("mixed")).toBe(wanted.length);
    expect(codesOf(results)).toEqual(Array(mistakes.length + repeats).fill("email-in-use"));
    const rest = Array.from({ length: repeats + 1 }, (_, n) => `rest${n}@example.com`);
    const last = await Promise.allSettled(rest.map((email, n) => signUp(email, n)));
    expect(await made("rest")).toBe(repeats);
    expect(codesOf(last)).toEqual(["sign-up-rate-limited"]);
  });

  test("no more accounts are made than the limit of an address allows, however many try at once and however many of them fail", async () => {
    const twice = Array.from({ length: most * 2 }, (_, n) => `twice${n}@example.com`);
    const results = await Promise.allSettled([...twice, ...twice].map((email, n) => signUp(email, n)));
    const atOnce = await made("twice");
    expect(atOnce).toBeLessThanOrEqual(most);
    expect(codesOf(results)).toContain("sign-up-rate-limited");
    // An attempt that fails may have held the last place for a moment.
    const later = Array.from({ length: most + 3 }, (_, n) => `later${n}@example.com`);
    for (const email of later) await signUp(email, 0).catch(() => undefined);
    expect(await made("later")).toBe(most - atOnce);
    // Attempts that were refused do not count.
    expect(await countOf("sign-up-address")).toBe(most);
  });

  test("an email that is tried over and over blocks nobody else of the network", async () => {
    await takeEmail("again@example.com");
    const perEmail = LIMITS["sign-up-account"].maxAttempts;
    for (let n = 0; n < perEmail + 20; n++) await signUp("again@example.com", n).catch(() => undefined);
    expect(await countOf("sign-up-attempt-address")).toBe(perEmail);
  });

  test("a flood of attempts that make no account has a limit too", async () => {
    await takeEmail("flood@example.com");
    const { maxAttempts } = LIMITS["sign-up-attempt-address"];
    const emails = Array.from({ length: maxAttempts + 30 }, (_, n) => `a${n}@example.com`);
    const admin = shop.ctx({ kind: "visitor" }, new TestBrowser()).store.adminEmail;
    const attempt = async (_: string, n: number) => {
      const ctx = visitorAt(n, sameAddress());
      // One email has a limit of its own, which is not what is tested.
      const { rateLimiter } = ctx.ports;
      const consume: typeof rateLimiter.consume = (limit, key) =>
        limit === "sign-up-account" ? Promise.resolve() : rateLimiter.consume(limit, key);
      const ports = { ...ctx.ports, rateLimiter: { ...rateLimiter, consume } };
      return signUpWithEmail({ ...ctx, ports }, { email: admin, password });
    };
    const codes = codesOf(await Promise.allSettled(emails.map(attempt)));
    expect(codes.filter((code) => code === "email-in-use")).toHaveLength(maxAttempts);
    expect(codes.filter((code) => code === "sign-up-rate-limited")).toHaveLength(30);
  });
});
