import { rmSync } from "node:fs";
import { type FakeGoogle, startFakeGoogle } from "../fake-google/fake-google.ts";
import { freePort } from "../free-port.ts";
import { test as base } from "./fixtures.ts";
import { ADMIN_PASSWORD, makeDataDir, startShopProcess } from "./shop-process.ts";
import { newEmail } from "./test-users.ts";

/** A shop that signs people in with an OpenID provider on loopback. */
export const test = base.extend<object, { googleShop: { url: string; google: FakeGoogle } }>({
  googleShop: [
    async ({ browserName: _ }, provide) => {
      const dataDir = makeDataDir();
      const port = await freePort();
      const callback = `http://localhost:${port}/api/auth/callback/google`;
      const google = await startFakeGoogle({ redirectUris: [callback] });
      const settings = {
        ADMIN_PASSWORD,
        GOOGLE_CLIENT_ID: google.clientId,
        GOOGLE_CLIENT_SECRET: google.clientSecret,
        GOOGLE_DISCOVERY_URL: google.discoveryUrl,
      };
      const shop = await startShopProcess({ dataDir, port, settings });
      process.env.E2E_BASE_URL = shop.url;
      process.env.E2E_DATA_DIR = dataDir;
      await provide({ url: shop.url, google });
      await shop.stop();
      await google.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
    { scope: "worker", timeout: 120_000 },
  ],
  baseURL: async ({ googleShop }, provide) => {
    await provide(googleShop.url);
  },
});

/** Somebody whom the page of the provider offers. */
export function newPerson(google: FakeGoogle): string {
  const email = newEmail();
  google.state.people = [{ sub: email, email, email_verified: true, name: "Asha Rao" }];
  return email;
}
