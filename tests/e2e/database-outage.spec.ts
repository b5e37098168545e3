import { rmSync } from "node:fs";
import { expect } from "@playwright/test";
import { pausePostgres } from "../database/pause-postgres.ts";
import { freePort } from "../free-port.ts";
import { expectAccessible } from "./accessibility.ts";
import { test } from "./fixtures.ts";
import { databaseUrlOf } from "./shop-database.ts";
import { ADMIN_PASSWORD, makeDataDir, type ShopProcess, startShopProcess } from "./shop-process.ts";

const dataDir = makeDataDir();
let shop: ShopProcess;
let cookie: string;
let resume: () => void = () => undefined;
test.beforeAll(async () => {
  shop = await startShopProcess({ dataDir, port: await freePort(), settings: { ADMIN_PASSWORD } });
  cookie = await signUp();
});
test.beforeEach(async () => {
  resume = await pausePostgres(databaseUrlOf(dataDir));
  // The shop uses settings that it read just before the outage for one more second.
  await expect.poll(async () => (await requestPath("/admin")).status).toBe(503);
});
// The stop of the shop needs a working database.
test.afterEach(async () => {
  resume();
  await expect.poll(async () => (await requestPath("/readyz")).status).toBe(200);
});
test.afterAll(async () => {
  await shop?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function requestPath(path: string, init: RequestInit = {}) {
  const began = performance.now();
  const response = await fetch(`${shop.url}${path}`, { redirect: "manual", ...init });
  const text = await response.text();
  return {
    status: response.status,
    retryAfter: Number(response.headers.get("retry-after")),
    type: response.headers.get("content-type") ?? "",
    text,
    ms: performance.now() - began,
  };
}

const post = (body: object, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", origin: shop.url, ...headers },
  body: JSON.stringify(body),
});

async function signUp(): Promise<string> {
  const account = { email: `${crypto.randomUUID()}@example.com`, password: "kettle-on-the-hob" };
  const response = await fetch(`${shop.url}/api/auth/sign-up/email`, post(account));
  expect(response.status).toBe(200);
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}

test("while the database hangs, everything says so in time, and Try again leads back without a restart", async ({
  page,
  browserErrors,
}) => {
  await test.step("every page shows a message within five seconds to visitors and users", async () => {
    const pages = ["/", "/dashboard", "/tools/canva", "/admin", "/reset-password?token=none"];
    const responses = await Promise.all([
      requestPath("/"),
      requestPath("/admin"),
      ...pages.map((path) => requestPath(path, { headers: { cookie } })),
    ]);
    for (const { status, retryAfter, type, text, ms } of responses) {
      expect(status).toBe(503);
      expect(retryAfter).toBeGreaterThan(0);
      expect(type).toContain("text/html");
      expect(text).toContain("The shop cannot reach its database right now.");
      expect(text).toContain("Try again");
      expect(ms).toBeLessThan(5_000);
    }
    const { status, retryAfter, text } = await requestPath("/dashboard.data", { headers: { cookie } });
    expect({ status, text }).toMatchObject({ status: 503, text: expect.stringContaining("its database") });
    expect(retryAfter).toBeGreaterThan(0);
  });
  await test.step("every endpoint responds with its own JSON to visitors and users", async () => {
    const id = "01890000-0000-7000-8000-000000000000";
    const headers = { cookie };
    const confirmation = {
      gatewayOrderId: "order_x",
      gatewayPaymentId: "pay_x",
      signature: "0".repeat(64),
    };
    const requests: [string, RequestInit][] = [
      ["/checkout/offer?tool=canva", { headers }],
      ["/checkout/offer?tool=canva", {}],
      [`/checkout/status?purchaseId=${id}`, { headers }],
      ["/checkout/start", post({ slug: "canva", option: null, coupon: null }, headers)],
      ["/checkout/confirm", post(confirmation, headers)],
      ["/checkout/cancel", post({ purchaseId: id }, headers)],
      ["/api/auth/get-session", { headers }],
      ["/api/auth/sign-in/email", post({ email: "nobody@example.com", password: "kettle-on" })],
      [
        "/tools/canva/code",
        {
          method: "POST",
          headers: { origin: shop.url, cookie },
          body: new URLSearchParams({ serverId: "any" }),
        },
      ],
    ];
    const responses = await Promise.all(
      requests.map(async ([path, init]) => ({ path, ...(await requestPath(path, init)) })),
    );
    for (const { path, status, retryAfter, text, ms } of responses) {
      expect({ path, status, body: JSON.parse(text) }).toMatchObject({
        path,
        status: 503,
        body: { code: "unavailable" },
      });
      expect(retryAfter, path).toBeGreaterThan(0);
      expect(ms, path).toBeLessThan(5_000);
    }
  });
  await test.step("the shop is live but not ready", async () => {
    const [live, ready] = await Promise.all([requestPath("/healthz"), requestPath("/readyz")]);
    expect(live).toMatchObject({ status: 200, text: '{"ok":true}' });
    expect(live.ms).toBeLessThan(1_000);
    expect(ready).toMatchObject({ status: 503, text: '{"ok":false,"database":"down"}' });
    expect(ready.ms).toBeLessThan(3_000);
  });
  await test.step("the page of an outage is accessible", async () => {
    await page.goto(shop.url);
    await expect(page.getByRole("heading", { name: "The shop is unavailable right now" })).toBeVisible();
    await expectAccessible(page, "unavailable");
  });
  await test.step("a buyer reaches the shop again by Try again after an outage, without a restart", async () => {
    resume();
    const again = page.getByRole("link", { name: "Try again" });
    await expect(async () => {
      await again.click();
      await expect(page.getByRole("button", { name: "Get access to Canva", exact: true })).toBeVisible({
        timeout: 2_000,
      });
    }).toPass();
    // The browser reports each 503.
    expect(browserErrors.filter((error) => !error.includes("503"))).toEqual([]);
    browserErrors.length = 0;
  });
});
