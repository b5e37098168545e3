import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq, isNull } from "drizzle-orm";
import pg from "pg";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { revealAccessCode } from "#core/access-codes/reveal-access-code.server.ts";
import { signInWithEmail, signUpWithEmail } from "#core/accounts/sign-in.server.ts";
import type { Actor } from "#core/context.ts";
import { addDays } from "#core/time.ts";
import { tools } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { freshDatabase } from "../tests/database/database.ts";
import { silentLog } from "../tests/fixtures/open-test-shop.ts";
import { compose } from "./compose.ts";
import { readEnv } from "./env.ts";
import { createOutageLog } from "./log.ts";
import { setUpStore } from "./set-up-store.ts";
import { describeFailure } from "./start/shutdown.ts";

const own = await freshDatabase();
const dataDir = mkdtempSync(join(tmpdir(), "daypass-compose-"));
afterAll(async () => {
  await own.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const log = createOutageLog({ ...silentLog, child: () => silentLog });

/** A shop whose settings say that a pooler is between it and the database. */
async function openPooledShop() {
  const direct = new URL(own.url);
  direct.searchParams.set("application_name", "direct");
  const env = readEnv({
    DATABASE_URL: own.url,
    DATABASE_DIRECT_URL: direct.href,
    DATA_DIR: dataDir,
    DEMO: "1",
  });
  const shop = await compose(env, own.url, false, log);
  await setUpStore(env, shop, direct.href);
  const contextOf = (actor: Actor) =>
    shop.contextOf({ actor, log: silentLog, requestId: "test", browser: new TestBrowser() });
  return { shop, contextOf };
}

test("a start gives the codes that an older version has stored the hash by which they are found in any case", async () => {
  const { shop: before } = await openPooledShop();
  const { rowCount } = await before.db.update(accessCodes).set({ simpleCodeKey: null });
  await before.close();
  expect(rowCount).toBeGreaterThan(0);
  const { shop: after } = await openPooledShop();
  const left = await after.db.$count(accessCodes, isNull(accessCodes.simpleCodeKey));
  await after.close();
  expect(left).toBe(0);
});

test.each([
  ["alter database %s set default_transaction_read_only = on", /^The database is read only: [^\n]+$/],
  ["revoke insert on settings from current_user", /^The database does not allow this role [^\n]+$/],
])("a start on a database after %j ends with a sentence", async (change, sentence) => {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query(change.replace("%s", new URL(database.url).pathname.slice(1)));
  await client.end();
  const env = readEnv({ DATABASE_URL: database.url, DATA_DIR: dataDir, DEMO: "1" });
  const shop = await compose(env, database.url, false, log);
  const failure: unknown = await setUpStore(env, shop, database.url).catch((error: unknown) => error);
  await shop.close();
  expect(describeFailure(failure, { withStack: false })).toMatch(sentence);
});

test.each([
  ["आशा <Asha@उदाहरण.भारत>", "asha@xn--p1b6ci4b4b3a.xn--h2brj9c"],
  ["mailto:Asha@example.com", "asha@example.com"],
])("ADMIN_EMAIL may be %j, as it is copied from a mail program", async (ADMIN_EMAIL, adminEmail) => {
  const env = readEnv({ DATA_DIR: dataDir, ADMIN_EMAIL });
  const shop = await compose(env, own.url, true, log);
  const { store } = shop.systemContext();
  await shop.close();
  expect(store).toMatchObject({ adminEmail });
});

test("an ADMIN_EMAIL that no sign-in would take is refused", async () => {
  const env = readEnv({ DATA_DIR: dataDir, ADMIN_EMAIL: "आशा@example.com" });
  await expect(compose(env, own.url, true, log)).rejects.toThrow(/^ADMIN_EMAIL must be an e-mail address\.$/);
});

test("no statement of the shop has a name behind a pooler, whichever library sends it", async () => {
  const { shop, contextOf } = await openPooledShop();
  const credentials = { email: "asha@example.com", password: "kettle-on" };
  const { user } = await signUpWithEmail(contextOf({ kind: "visitor" }), credentials);
  await signInWithEmail(contextOf({ kind: "visitor" }), credentials);
  const [canva] = await shop.db.select().from(tools).where(eq(tools.slug, "canva"));
  if (!canva) throw new Error("the demo has no such tool");
  await shop.db.insert(userPurchases).values({
    userId: user.id,
    userEmail: user.email,
    toolId: canva.id,
    toolName: canva.name,
    validityDays: 30,
    listPricePaise: 14_900,
    amountPaise: 14_900,
    status: "completed",
    source: "checkout",
    startsAt: addDays(new Date(), -1),
    expiresAt: addDays(new Date(), 29),
  });
  const buyer = contextOf({ kind: "user", userId: user.id, email: user.email, sessionId: "session" });
  const { simpleCode } = await revealAccessCode(buyer, { page: "canva", serverId: "canva-server-1" });
  expect(simpleCode).not.toBe("");
  const connections = await Promise.all(
    Array.from({ length: shop.pool.totalCount }, () => shop.pool.connect()),
  );
  const named = await Promise.all(
    connections.map((connection) => connection.query("select name from pg_prepared_statements")),
  );
  for (const connection of connections) connection.release();
  await shop.close();
  expect(named.flatMap(({ rows }) => rows)).toEqual([]);
});
