import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { finishGoogleSignIn, startGoogleSignIn } from "#core/accounts/google-sign-in.server.ts";
import { GOOGLE_CALLBACK_PATH } from "#core/accounts/identity-provider.ts";
import { authAccounts, users } from "#db/tables/accounts.ts";
import { TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { freshDatabase } from "../tests/database/database.ts";
import { startFakeGoogle } from "../tests/fake-google/fake-google.ts";
import { signInAtProvider } from "../tests/fake-google/sign-in-at-provider.ts";
import { silentLog } from "../tests/fixtures/open-test-shop.ts";
import { compose } from "./compose.ts";
import { readEnv } from "./env.ts";
import { createOutageLog } from "./log.ts";
import { setUpStore } from "./set-up-store.ts";

const ORIGIN = "http://localhost:3000";
const own = await freshDatabase();
const google = await startFakeGoogle({ redirectUris: [`${ORIGIN}${GOOGLE_CALLBACK_PATH}`] });
const dataDir = mkdtempSync(join(tmpdir(), "daypass-links-"));
afterAll(async () => {
  await google.close();
  await own.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const standIn = {
  GOOGLE_CLIENT_ID: google.clientId,
  GOOGLE_CLIENT_SECRET: google.clientSecret,
  GOOGLE_DISCOVERY_URL: google.discoveryUrl,
};

/** The shop of these settings, which somebody uses between its start and its stop. */
async function withShop<Result>(
  settings: NodeJS.ProcessEnv,
  use: (shop: Awaited<ReturnType<typeof compose>>) => Promise<Result>,
): Promise<Result> {
  const env = readEnv({ DATABASE_URL: own.url, DATA_DIR: dataDir, ORIGIN, ...settings });
  const shop = await compose(env, own.url, false, createOutageLog({ ...silentLog, child: () => silentLog }));
  await setUpStore(env, shop, own.url);
  const result = await use(shop);
  await shop.close();
  return result;
}

/** An account with a link of the time before links had an issuer. */
async function insertOldLink(): Promise<string> {
  return withShop({}, async ({ db }) => {
    const accountId = randomUUID();
    const email = `${accountId}@example.com`;
    const [user] = await db.insert(users).values({ email, provider: "google" }).returning();
    await db.insert(authAccounts).values({ userId: user?.id ?? "", accountId, providerId: "google" });
    return accountId;
  });
}

const issuerAfterStart = (settings: NodeJS.ProcessEnv, accountId: string) =>
  withShop(settings, async ({ db }) => {
    const [link] = await db.select().from(authAccounts).where(eq(authAccounts.accountId, accountId));
    return link?.issuer;
  });

test.each([
  ["Google without a provider", {}, "https://accounts.google.com"],
  [
    "Google with Google",
    { GOOGLE_CLIENT_ID: "id", GOOGLE_CLIENT_SECRET: "secret" },
    "https://accounts.google.com",
  ],
  ["the provider in Google's place with such a provider", standIn, google.issuer],
])("a link without an issuer becomes one of %s, and stays it", async (_rule, settings, issuer) => {
  const accountId = await insertOldLink();
  expect(await issuerAfterStart(settings, accountId)).toBe(issuer);
  for (const other of [{}, standIn]) expect(await issuerAfterStart(other, accountId)).toBe(issuer);
});

test("a provider in Google's place opens no account of gmail.com that exists, whatever it says about the address", async () => {
  const sub = randomUUID();
  const email = `${sub}@gmail.com`;
  google.state.automatic = { sub, email, email_verified: true, hd: "gmail.com" };
  await withShop(standIn, async (shop) => {
    await shop.db.insert(users).values({ email, emailVerified: true });
    const browser = new TestBrowser();
    const visitor = () =>
      shop.contextOf({ actor: { kind: "visitor" }, log: silentLog, requestId: "test", browser });
    const { url, setCookies } = await startGoogleSignIn(visitor(), { mode: "popup" }, ORIGIN);
    browser.keep(setCookies);
    const answer = await signInAtProvider(url);
    await expect(finishGoogleSignIn(visitor(), answer)).rejects.toMatchObject({
      code: "google-needs-password",
    });
  });
});
