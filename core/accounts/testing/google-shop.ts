import { randomUUID } from "node:crypto";
import { afterAll, beforeEach } from "vitest";
import { createOpenIdProvider } from "#adapters/openid/openid-provider.ts";
import { rateLimits } from "#db/tables/operations.ts";
import {
  type FakeGoogle,
  type FakeGoogleOptions,
  type Person,
  startFakeGoogle,
} from "../../../tools/testing/fake-google/fake-google.ts";
import { signInAtProvider } from "../../../tools/testing/fake-google/sign-in-at-provider.ts";
import type { Context, Log } from "../../context.ts";
import { finishGoogleSignIn, startGoogleSignIn } from "../google-sign-in.server.ts";
import { GOOGLE_CALLBACK_PATH, type IdentityProvider } from "../identity-provider.ts";
import { ORIGIN, openAccountsShop, TestBrowser } from "./accounts-shop.ts";

/** A provider in the place of Google that sends people back to the test shop. */
export const startProvider = (options: Omit<FakeGoogleOptions, "redirectUris"> = {}) =>
  startFakeGoogle({ redirectUris: [`${ORIGIN}${GOOGLE_CALLBACK_PATH}`], ...options });

/** Somebody with an account at the provider, which has verified the address and manages its domain. */
export function person(values: Partial<Person> = {}): Person {
  const sub = randomUUID();
  return {
    sub,
    email: `${sub}@example.com`,
    email_verified: true,
    hd: "example.com",
    name: "Asha Rao",
    ...values,
  };
}

/** The test shop with a provider on loopback. Its rate limits start anew for each test, and it closes after the suite. */
export async function openGoogleShop() {
  const shop = await openAccountsShop();
  const google = await startProvider();
  const logged: object[] = [];
  const write = (facts: object) => void logged.push(facts);
  const log: Log = { debug: write, info: write, warn: write, error: write };
  beforeEach(async () => {
    await shop.db.delete(rateLimits);
  });
  afterAll(() => google.close());

  function providerOf({ clientId, clientSecret, discoveryUrl }: FakeGoogle): IdentityProvider {
    const secret = "a-secret-for-the-attempts-0123456789";
    return createOpenIdProvider({
      clientId,
      clientSecret,
      discoveryUrl,
      secret,
      secureCookies: true,
      log,
      // That of the suite stands for Google's own. No other provider is authoritative.
      authoritativeIssuer: google.issuer,
    });
  }

  const identityProvider = providerOf(google);
  const visitor = (browser: TestBrowser, provider = identityProvider): Context => ({
    ...shop.ctx({ kind: "visitor" }, browser, { identityProvider: provider }),
    log,
  });

  /** The browser goes to the provider, where `who` signs in. @returns the address that it comes back to */
  async function comeBack(
    who: Person | "cancel",
    browser: TestBrowser,
    at: { google: FakeGoogle; provider: IdentityProvider } = { google, provider: identityProvider },
  ): Promise<URL> {
    at.google.state.automatic = who;
    const ctx = visitor(browser, at.provider);
    const { url, setCookies } = await startGoogleSignIn(ctx, { mode: "popup" }, ORIGIN);
    browser.keep(setCookies);
    return signInAtProvider(url);
  }

  async function signIn(
    who: Person | "cancel",
    browser = new TestBrowser(),
    at: { google: FakeGoogle; provider: IdentityProvider } = { google, provider: identityProvider },
  ) {
    const answer = await comeBack(who, browser, at);
    const signedIn = await finishGoogleSignIn(visitor(browser, at.provider), answer);
    browser.keep(signedIn.setCookies);
    return { ...signedIn, browser };
  }

  /** Somebody who is signed in in this browser connects Google to the account. */
  async function connect(
    who: Person,
    browser: TestBrowser,
    at: { google: FakeGoogle; provider: IdentityProvider } = { google, provider: identityProvider },
  ) {
    const answer = await comeBack(who, browser, at);
    const ctx = { ...(await shop.as(browser)), log };
    const ports = { ...ctx.ports, identityProvider: at.provider };
    const signedIn = await finishGoogleSignIn({ ...ctx, ports }, answer);
    browser.keep(signedIn.setCookies);
    return signedIn;
  }

  return { ...shop, connect, google, providerOf, logged, visitor, comeBack, signIn };
}
