import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { GOOGLE_ISSUER } from "#adapters/openid/openid-provider.ts";
import { authAccounts, sessions, users } from "#db/tables/accounts.ts";
import { auditEvents, rateLimits } from "#db/tables/operations.ts";
import { inTransaction } from "#db/transaction.ts";
import { TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { openGoogleShop, person } from "#tests/fixtures/google-shop.ts";
import { OLD_CONFIG, OLD_PASSWORDS } from "#tests/fixtures/imported-hashes.ts";
import { signInPerson, signUpPerson } from "#tests/fixtures/people.ts";
import type { ImportedAccount } from "./authenticator.ts";
import { changePassword, confirmPassword } from "./change-password.server.ts";
import type { IdentityProvider } from "./identity-provider.ts";
import { resetPassword } from "./reset-password.server.ts";
import { signInAdmin, signInWithEmail } from "./sign-in.server.ts";

const shop = await openGoogleShop();
const { authenticator } = shop;
const { password } = OLD_PASSWORDS.published;
const OWN_HASH = /^\$scrypt\$ln=\d+,r=8,p=\d\$/;

const hashOf = (old: { passwordHash: string; salt: string } = OLD_PASSWORDS.published) =>
  authenticator.importedPasswordHash(old, OLD_CONFIG).passwordHash;
const link = (rows: ImportedAccount[]) =>
  inTransaction(shop.db, (tx) => authenticator.createImportedAccounts(tx, rows));

async function insertUser(values: Partial<typeof users.$inferInsert> = {}): Promise<string> {
  const email = `${randomUUID()}@example.com`;
  const [user] = await shop.db
    .insert(users)
    .values({ email, emailVerified: true, ...values })
    .returning();
  return user?.id ?? "";
}

/** An imported account with the published password, which has not signed in yet, unless `values` say otherwise. */
async function importAccount(
  values: Partial<typeof users.$inferInsert> & {
    old?: { passwordHash: string; salt: string } | null;
    googleSubject?: string;
  } = {},
) {
  const { old, googleSubject = null, email = `${randomUUID()}@example.com`, ...columns } = values;
  const userId = await insertUser({ email, ...columns });
  const imported = old === null ? null : hashOf(old);
  await link([{ userId, passwordHash: imported, googleSubject }]);
  return {
    userId,
    email,
    imported,
    signIn: (typed: string) => signInWithEmail(shop.visitor(new TestBrowser()), { email, password: typed }),
    readHash: async () => (await waysOf(userId)).find((way) => way.providerId === "credential")?.password,
    /** As on a shop that was too busy to replace the hash. */
    restoreHash: () =>
      shop.db.update(authAccounts).set({ password: imported }).where(eq(authAccounts.userId, userId)),
  };
}

const waysOf = (userId: string) =>
  shop.db.select().from(authAccounts).where(eq(authAccounts.userId, userId)).orderBy(authAccounts.providerId);
const providersOf = async (userId: string) => (await waysOf(userId)).map(({ providerId }) => providerId);
const actionsOn = async (userId: string) =>
  (await shop.db.select().from(auditEvents).where(eq(auditEvents.subjectId, userId))).map(
    ({ action }) => action,
  );

test("the password of an imported account is checked by the old hash at the first sign-in, which stores a hash of our own for good", async () => {
  const { signIn, readHash, imported, userId } = await importAccount();
  await expect(signIn("kettle-off")).rejects.toMatchObject({ code: "wrong-password" });
  expect(await readHash()).toBe(imported);
  expect((await signIn(password)).user.id).toBe(userId);
  const own = await readHash();
  expect(own).toMatch(OWN_HASH);
  await expect(signIn("kettle-off")).rejects.toMatchObject({ code: "wrong-password" });
  await signIn(password);
  expect(await readHash()).toBe(own);
  expect(await shop.db.$count(sessions, eq(sessions.userId, userId))).toBe(2);
  expect(await waysOf(userId)).toHaveLength(1);
});

test.each([
  2, 8,
])("the password of an imported account opens for %i sign-ins at once, which leave a hash of our own", async (count) => {
  const { signIn, readHash, userId } = await importAccount();
  await Promise.all(Array.from({ length: count }, () => signIn(password)));
  expect(await shop.db.$count(sessions, eq(sessions.userId, userId))).toBe(count);
  expect(await readHash()).toMatch(OWN_HASH);
  await signIn(password);
});

test.each([
  ["common and has six characters", OLD_PASSWORDS.common],
  ["longer than a new one may be", OLD_PASSWORDS.long],
])("the password of an imported account still opens when it is %s, before and after its hash was replaced", async (_which, old) => {
  const { signIn, readHash } = await importAccount({ old });
  await signIn(old.password);
  expect(await readHash()).toMatch(OWN_HASH);
  await signIn(old.password);
  await expect(signIn(old.password.slice(1))).rejects.toMatchObject({ code: "wrong-password" });
});

test("the password of an imported account is right as it was typed, with its spaces and its combining letters", async () => {
  const old = OLD_PASSWORDS.unusual;
  const { signIn, readHash } = await importAccount({ old });
  for (const other of [old.password.normalize("NFKC"), old.password.trim()])
    await expect(signIn(other)).rejects.toMatchObject({ code: "wrong-password" });
  await signIn(old.password);
  expect(await readHash()).toMatch(OWN_HASH);
  await signIn(old.password);
  // Our own hash knows that both are the same letters.
  await signIn(old.password.normalize("NFKC"));
});

test("a wrong password of an imported account is audited, and the eleventh attempt is not even checked", async () => {
  const { signIn, readHash, imported, userId } = await importAccount();
  const guesses = Array.from({ length: 15 }, (_, n) => signIn(`guess-${n}`));
  const codes = (await Promise.allSettled(guesses)).map(
    (one) => one.status === "rejected" && one.reason.code,
  );
  expect(codes.filter((code) => code === "wrong-password")).toHaveLength(10);
  expect(codes.filter((code) => code === "sign-in-rate-limited")).toHaveLength(5);
  await expect(signIn(password)).rejects.toMatchObject({ code: "sign-in-rate-limited" });
  expect(await actionsOn(userId)).toEqual(Array(10).fill("account.sign-in-failed"));
  expect(await readHash()).toBe(imported);
  await shop.db.delete(rateLimits);
  await signIn(password);
});

test("the password of a disabled imported account opens nothing, and its hash stays", async () => {
  const { signIn, readHash, imported, userId } = await importAccount({ isActive: false });
  await expect(signIn("kettle-off")).rejects.toMatchObject({ code: "wrong-password" });
  await expect(signIn(password)).rejects.toMatchObject({ code: "user-disabled" });
  expect(await shop.db.$count(sessions, eq(sessions.userId, userId))).toBe(0);
  expect(await readHash()).toBe(imported);
});

test("the password of an imported account is changed by its owner while the old hash is still stored", async () => {
  const { email, signIn, readHash, restoreHash } = await importAccount();
  const { ctx } = await signInPerson(shop, email, password);
  await restoreHash();
  const newPassword = "the-kettle-is-off-now";
  await expect(changePassword(ctx, { password: "kettle-off", newPassword })).rejects.toMatchObject({
    code: "wrong-password",
  });
  await changePassword(ctx, { password, newPassword });
  expect(await readHash()).toMatch(OWN_HASH);
  await expect(signIn(password)).rejects.toMatchObject({ code: "wrong-password" });
  await signIn(newPassword);
});

test("the password of an imported account is replaced with a reset link before it was ever used, by another one only", async () => {
  const { email, signIn, readHash } = await importAccount();
  const token = (await authenticator.makeResetToken(email)) ?? "";
  const reset = (newPassword: string) =>
    resetPassword(shop.visitor(new TestBrowser()), { token, newPassword });
  await expect(reset(password)).rejects.toMatchObject({ code: "same-password" });
  await reset("the-kettle-is-off-now");
  expect(await readHash()).toMatch(OWN_HASH);
  await expect(signIn(password)).rejects.toMatchObject({ code: "wrong-password" });
  await signIn("the-kettle-is-off-now");
});

test("the password of an imported account confirms what an admin does, and starts no session of an admin for anybody else", async () => {
  const { email, userId, restoreHash } = await importAccount({ role: "admin" });
  const browser = new TestBrowser();
  const input = { email, password, form: "page" };
  browser.keep((await signInAdmin(shop.visitor(browser), input)).setCookies);
  await restoreHash();
  const ctx = await shop.as(browser);
  await shop.db.update(sessions).set({ passwordEnteredAt: null }).where(eq(sessions.userId, userId));
  await expect(confirmPassword(ctx, { password: "kettle-off" })).rejects.toMatchObject({
    code: "wrong-password",
  });
  await confirmPassword(ctx, { password });
  const [session] = await shop.db.select().from(sessions).where(eq(sessions.userId, userId));
  expect(session?.passwordEnteredAt).not.toBeNull();

  const buyer = await importAccount();
  const attempt = (typed: string) =>
    signInAdmin(shop.visitor(new TestBrowser()), { email: buyer.email, password: typed, form: "page" });
  await expect(attempt("kettle-off")).rejects.toMatchObject({ code: "wrong-password" });
  await expect(attempt(password)).rejects.toMatchObject({ code: "invalid-admin-credentials" });
  expect(await shop.db.$count(sessions, eq(sessions.userId, buyer.userId))).toBe(0);
});

test("the password of an imported account whose hash is damaged opens nothing, and is a fault instead of a wrong password", async () => {
  const { signIn, userId, imported } = await importAccount();
  await shop.db
    .update(authAccounts)
    .set({ password: imported?.slice(0, -40) ?? "" })
    .where(eq(authAccounts.userId, userId));
  for (const typed of [password, "kettle-off"]) await expect(signIn(typed)).rejects.toThrow("unknown format");
  expect(await shop.db.$count(sessions, eq(sessions.userId, userId))).toBe(0);
});

describe("sign-in with Google", () => {
  /** The provider of the suite under the name of Google itself, which imported links have. */
  function asGoogle(): { google: typeof shop.google; provider: IdentityProvider } {
    const provider = shop.providerOf(shop.google);
    const finish: IdentityProvider["finish"] = async (...answer) => ({
      ...(await provider.finish(...answer)),
      issuer: GOOGLE_ISSUER,
    });
    return { google: shop.google, provider: { ...provider, issuer: GOOGLE_ISSUER, finish } };
  }
  const signIn = async (who: ReturnType<typeof person>) =>
    (await shop.signIn(who, new TestBrowser(), asGoogle())).user.id;

  test("a sign-in with Google opens the imported account that the person had linked, whatever the address is, and keeps its password", async () => {
    const who = person();
    const linked = await importAccount({ googleSubject: who.sub });
    expect(await signIn(who)).toBe(linked.userId);
    expect(await linked.readHash()).toBe(linked.imported);
    await linked.signIn(password);
    expect(await signIn(who)).toBe(linked.userId);
    expect(await providersOf(linked.userId)).toEqual(["credential", "google"]);
  });

  test("a sign-in with Google opens an imported account that has nothing else", async () => {
    const who = person();
    const { userId, email } = await importAccount({ old: null, googleSubject: who.sub, provider: "google" });
    expect(await signIn({ ...who, email })).toBe(userId);
    expect(await providersOf(userId)).toEqual(["google"]);
    await expect(signInWithEmail(shop.visitor(new TestBrowser()), { email, password })).rejects.toMatchObject(
      {
        code: "wrong-password",
      },
    );
  });

  test("a sign-in with Google is refused for a disabled imported account", async () => {
    const who = person();
    await importAccount({ googleSubject: who.sub, isActive: false });
    await expect(signIn(who)).rejects.toMatchObject({ code: "user-disabled" });
  });

  test("a sign-in with Google links an imported account whose address was verified, and its old password still opens it", async () => {
    const who = person();
    const account = await importAccount({ email: who.email });
    expect(await signIn(who)).toBe(account.userId);
    expect(await providersOf(account.userId)).toEqual(["credential", "google"]);
    await account.signIn(password);
  });

  test("a sign-in with Google takes over an imported account that nobody has verified: its old password opens nothing", async () => {
    const who = person();
    const account = await importAccount({ email: who.email, emailVerified: false });
    expect(await signIn(who)).toBe(account.userId);
    expect(await providersOf(account.userId)).toEqual(["google"]);
    await expect(account.signIn(password)).rejects.toMatchObject({ code: "wrong-password" });
  });
});

test("an import of accounts stores a password and a link each, in the caller's transaction", async () => {
  const userId = await insertUser();
  const googleSubject = randomUUID();
  const row = { userId, passwordHash: hashOf(), googleSubject };
  const undone = inTransaction(shop.db, async (tx) => {
    await authenticator.createImportedAccounts(tx, [row]);
    throw new Error("undone");
  });
  await expect(undone).rejects.toThrow("undone");
  expect(await waysOf(userId)).toEqual([]);
  expect(await link([row])).toEqual({ skipped: [] });
  expect(await waysOf(userId)).toMatchObject([
    { providerId: "credential", issuer: "", accountId: userId, password: row.passwordHash },
    { providerId: "google", issuer: GOOGLE_ISSUER, accountId: googleSubject, password: null },
  ]);
  expect(await link([{ userId: await insertUser(), passwordHash: null, googleSubject: null }])).toEqual({
    skipped: [],
  });
  expect(await link([])).toEqual({ skipped: [] });
});

test("an import of accounts keeps what an account of this shop has, and names it", async () => {
  const { userId, email } = await signUpPerson({ visitor: shop.visitor, as: shop.as });
  const before = await waysOf(userId);
  const first = await link([{ userId, passwordHash: hashOf(), googleSubject: "asha" }]);
  expect(first).toEqual({ skipped: [{ userId, provider: "password" }] });
  const second = await link([{ userId, passwordHash: hashOf(), googleSubject: "another-asha" }]);
  expect(second).toEqual({
    skipped: [
      { userId, provider: "password" },
      { userId, provider: "google" },
    ],
  });
  expect(await waysOf(userId)).toMatchObject([...before, { providerId: "google", accountId: "asha" }]);
  await signInPerson(shop, email);
});

test("an import of accounts keeps a person at Google on the account that is linked already, also within one call", async () => {
  const [first, second, third] = [await insertUser(), await insertUser(), await insertUser()];
  const googleSubject = randomUUID();
  await link([{ userId: first, passwordHash: null, googleSubject }]);
  const rows = [
    { userId: second, passwordHash: hashOf(), googleSubject },
    { userId: third, passwordHash: null, googleSubject: "ravi" },
    { userId: third, passwordHash: null, googleSubject: "another-ravi" },
    { userId: first, passwordHash: hashOf(), googleSubject: "ravi" },
  ];
  expect(await link(rows)).toEqual({
    skipped: [
      { userId: second, provider: "google" },
      { userId: third, provider: "google" },
      { userId: first, provider: "google" },
    ],
  });
  expect(await providersOf(second)).toEqual(["credential"]);
  expect(await waysOf(third)).toMatchObject([{ accountId: "ravi" }]);
  expect(await providersOf(first)).toEqual(["credential", "google"]);
});

test("an import of accounts adds a thousand accounts in two statements, and the second time none of them", async () => {
  const rows = Array.from({ length: 1000 }, () => ({ id: randomUUID() }));
  await shop.db.insert(users).values(rows.map(({ id }) => ({ id, email: `${id}@example.com` })));
  const accounts = rows.map(({ id }) => ({ userId: id, passwordHash: hashOf(), googleSubject: id }));
  let statements = 0;
  const counted = await inTransaction(shop.db, (tx) => {
    const counting = new Proxy(tx, {
      get(target, name, receiver) {
        if (name === "select" || name === "insert" || name === "execute") statements += 1;
        return Reflect.get(target, name, receiver);
      },
    });
    return authenticator.createImportedAccounts(counting, accounts);
  });
  expect([counted.skipped.length, statements]).toEqual([0, 2]);
  expect((await link(accounts)).skipped).toHaveLength(2000);
  expect(await providersOf(rows[999]?.id ?? "")).toEqual(["credential", "google"]);
});
