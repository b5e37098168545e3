import { afterAll, beforeEach, expect, test } from "vitest";
import { createPostgresRateLimiter } from "#adapters/rate-limiter/postgres-rate-limiter.ts";
import { openDatabase } from "#db/database.ts";
import { rateLimits } from "#db/tables/operations.ts";
import { openAccountsShop, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { LIMITS } from "../rate-limits.ts";
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
  const refused = results.filter((one) => one.status === "rejected" && one.reason.code === refusal);
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
