import { count, eq, like, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { authAccounts, sessions, users } from "#db/tables/accounts.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { inTransaction } from "#db/transaction.ts";
import { openAccountsShop, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { signUpWithEmail } from "./sign-in.server.ts";

// The hash queue holds all of them, because these tests are about what follows the hash.
const hashLimits = { running: 4, waiting: 60, waitMs: 60_000 };
const shop = await openAccountsShop({ connections: 5, hashLimits });

/** Without rate limits, because these tests make more attempts than they allow. */
const unlimited = {
  consume: async () => {},
  undoConsume: async () => {},
  reset: async () => {},
  resetAccount: async () => {},
};

const signUp = (email: string) => {
  const ctx = shop.ctx({ kind: "visitor" }, new TestBrowser(), { rateLimiter: unlimited });
  return signUpWithEmail(ctx, { email, password: "kettle-on" });
};

const rowsOf = (table: typeof users | typeof authAccounts | typeof sessions | typeof auditEvents) =>
  shop.db
    .select({ rows: count() })
    .from(table)
    .then(([found]) => found?.rows);

test("many parallel sign-ups on few connections succeed and do not block other queries", async () => {
  let running = 40;
  const signUps = Array.from({ length: running }, (_, n) =>
    signUp(`many${n}@example.com`).finally(() => {
      running -= 1;
    }),
  );
  const all = Promise.allSettled(signUps);
  let answered = 0;
  while (running > 0) {
    await shop.db.execute(sql`select 1`);
    if (running > 0) answered += 1;
  }
  expect((await all).filter((one) => one.status === "rejected")).toEqual([]);
  expect(answered).toBeGreaterThan(5);
  const [created] = await shop.db.select({ rows: count() }).from(users).where(like(users.email, "many%"));
  expect(created?.rows).toBe(40);
});

test("sixty parallel sign-ups of one email create one account, and the others leave no rows", async () => {
  const tables = [users, authAccounts, sessions, auditEvents];
  const before = await Promise.all(tables.map(rowsOf));
  const results = await Promise.allSettled(Array.from({ length: 60 }, () => signUp("one@example.com")));
  const refused = results.filter((one) => one.status === "rejected").map((one) => one.reason.code);
  expect(refused).toEqual(Array.from({ length: 59 }, () => "email-in-use"));
  const after = await Promise.all(tables.map(rowsOf));
  expect(after).toEqual(before.map((rows) => (rows ?? 0) + 1));
});

test("the database accepts emails in lower case only and finds them by an index", async () => {
  const mixedCase = shop.db.insert(users).values({ email: "Odd@example.com" });
  await expect(mixedCase).rejects.toMatchObject({ cause: { constraint: "users_email_lower" } });
  const plan = await inTransaction(shop.db, async (tx) => {
    await tx.execute(sql`set local enable_seqscan = off`);
    return tx.execute(sql`explain ${tx.select().from(users).where(eq(users.email, "one@example.com"))}`);
  });
  expect(JSON.stringify(plan.rows)).toContain("users_email_key");
});
