import { eq } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { sessions } from "#db/tables/accounts.ts";
import { openAccountsShop, type TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { signInOwner, signUpPerson } from "#tests/fixtures/people.ts";
import { STORE_SETTINGS_KEY, saveSetting } from "../catalog/store-settings.server.ts";
import { DAY, HOUR, MINUTE } from "../time.ts";
import { resolveActor } from "./sessions.server.ts";

const shop = await openAccountsShop();
beforeEach(() => shop.db.delete(sessions));

const kindOf = async (browser: TestBrowser) => (await resolveActor(shop.visitor(browser))).actor.kind;
const ago = (ms: number) => new Date(Date.now() - ms);

async function signIn(role: "admin" | "user") {
  const { browser, userId } = role === "admin" ? await signInOwner(shop) : await signUpPerson(shop);
  const change = (times: { createdAt?: Date; updatedAt?: Date; expiresAt?: Date }) =>
    shop.db.update(sessions).set(times).where(eq(sessions.userId, userId));
  const rows = () => shop.db.select().from(sessions).where(eq(sessions.userId, userId));
  return { browser, change, rows };
}

const choose = (adminSessions: object) =>
  saveSetting(shop.db, STORE_SETTINGS_KEY, { name: "Tea", claims: {}, supportPhones: [], adminSessions });

test("the session of an admin ends after 12 idle hours, for good and for parallel requests too", async () => {
  const { browser, change, rows } = await signIn("admin");
  await change({ updatedAt: ago(12 * HOUR - MINUTE) });
  expect(await kindOf(browser)).toBe("admin");
  await change({ updatedAt: ago(12 * HOUR + MINUTE) });
  expect(new Set(await Promise.all(Array.from({ length: 10 }, () => kindOf(browser))))).toEqual(
    new Set(["visitor"]),
  );
  expect(await rows()).toEqual([]);
});

test("an idle session of an admin is not prolonged first", async () => {
  const { browser, change, rows } = await signIn("admin");
  // Due to be prolonged.
  await change({
    updatedAt: ago(3 * DAY),
    createdAt: ago(3 * DAY),
    expiresAt: new Date(Date.now() + 20 * DAY),
  });
  const kinds = await Promise.all(Array.from({ length: 10 }, () => kindOf(browser)));
  expect(new Set(kinds)).toEqual(new Set(["visitor"]));
  expect(await rows()).toEqual([]);
});

test("the session of an admin ends after 7 days of use, and that of a buyer goes on", async () => {
  const old = { createdAt: ago(7 * DAY + MINUTE), updatedAt: ago(MINUTE) };
  for (const [role, kind] of [
    ["admin", "visitor"],
    ["user", "user"],
  ] as const) {
    const { browser, change } = await signIn(role);
    await change(old);
    expect(await kindOf(browser)).toBe(kind);
    await change({ ...old, updatedAt: ago(13 * HOUR) });
    expect(await kindOf(browser)).toBe(kind);
  }
});

test("the use of an admin's session is recorded every five minutes", async () => {
  const { browser, change, rows } = await signIn("admin");
  const seen = ago(6 * MINUTE);
  await change({ updatedAt: seen });
  expect(await kindOf(browser)).toBe("admin");
  const [session] = await rows();
  expect(session?.updatedAt.getTime()).toBeGreaterThan(seen.getTime());
});

test("the owner's numbers apply at once", async () => {
  const { browser, change } = await signIn("admin");
  await choose({ idleHours: 1, maxDays: 30 });
  await change({ createdAt: ago(8 * DAY), updatedAt: ago(59 * MINUTE) });
  expect(await kindOf(browser)).toBe("admin");
  await change({ updatedAt: ago(61 * MINUTE) });
  expect(await kindOf(browser)).toBe("visitor");
});
