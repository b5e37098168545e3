import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { eq } from "drizzle-orm";
import { describe, expect, onTestFinished, test } from "vitest";
import { authAccounts, users } from "#db/tables/accounts.ts";
import type { FakeGoogle } from "#tests/fake-google/fake-google.ts";
import { TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { openGoogleShop, person, startProvider } from "#tests/fixtures/google-shop.ts";
import { signUpPerson } from "#tests/fixtures/people.ts";
import { readMyAccount } from "./profile.server.ts";

const shop = await openGoogleShop();
const { signIn, visitor } = shop;

/** Another provider that the shop is set up with, in place of Google. */
async function openOther() {
  const google = await startProvider();
  onTestFinished(() => google.close());
  return { google, provider: shop.providerOf(google) };
}

/** A provider at an address of its own whose configuration says that it is Google. */
async function openClaimant() {
  const real = await (await fetch(shop.google.discoveryUrl)).text();
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(real);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const discoveryUrl = `http://127.0.0.1:${port}/.well-known/openid-configuration`;
  const google: FakeGoogle = { ...shop.google, discoveryUrl };
  return { google, provider: shop.providerOf(google) };
}

const providersOf = async (userId: string) =>
  (await shop.db.select().from(authAccounts).where(eq(authAccounts.userId, userId)))
    .map(({ providerId }) => providerId)
    .sort();

describe.each([
  ["another OpenID provider", openOther],
  ["a provider that claims to be Google", openClaimant],
])("%s", (_provider, openProvider) => {
  test.each([
    ["verified", true],
    ["not verified", false],
  ])("a provider in Google's place does not open an account of gmail.com that is %s", async (_state, emailVerified) => {
    const at = await openProvider();
    const who = person({ email: `${randomUUID()}@gmail.com`, hd: "gmail.com" });
    const { userId, browser } = await signUpPerson(shop, { email: who.email });
    await shop.db.update(users).set({ emailVerified }).where(eq(users.id, userId));
    await expect(signIn(who, new TestBrowser(), at)).rejects.toMatchObject({ code: "google-needs-password" });
    expect(await providersOf(userId)).toEqual(["credential"]);
    expect((await shop.as(browser)).actor).toMatchObject({ userId });
  });

  test("a provider in Google's place does not open an account of a domain whose organisation it claims to host", async () => {
    const at = await openProvider();
    const who = person();
    await signUpPerson(shop, { email: who.email });
    await expect(signIn(who, new TestBrowser(), at)).rejects.toMatchObject({ code: "google-needs-password" });
  });

  test("a provider in Google's place does not open the account of the person who has the same id at Google", async () => {
    const at = await openProvider();
    const who = person();
    const { user } = await signIn(who);
    const stranger = person({ sub: who.sub });
    const other = await signIn(stranger, new TestBrowser(), at);
    expect(other.user).toMatchObject({ email: stranger.email });
    expect(other.user.id).not.toBe(user.id);
    expect((await signIn({ ...stranger }, new TestBrowser(), at)).user.id).toBe(other.user.id);
    expect((await signIn(who)).user.id).toBe(user.id);
  });
});

test("an account is connected with the provider of today, whatever it was connected with before", async () => {
  const { google, provider } = await openOther();
  const who = person();
  const { user, browser } = await signIn(who);
  const accountAt = async (identityProvider: typeof provider) => {
    const ctx = await shop.as(browser);
    return readMyAccount({ ...ctx, ports: { ...ctx.ports, identityProvider } });
  };
  expect(await accountAt(provider)).toMatchObject({ hasGoogle: false });
  const moved = person({ email: who.email });
  await shop.connect(moved, browser, { google, provider });
  expect(await accountAt(provider)).toMatchObject({ hasGoogle: true });
  expect((await signIn(moved, new TestBrowser(), { google, provider })).user.id).toBe(user.id);
  expect((await signIn(who)).user.id).toBe(user.id);
  expect(visitor(browser).ports.identityProvider?.issuer).toBe(shop.google.issuer);
});
