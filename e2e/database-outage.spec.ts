import { rmSync } from "node:fs";
import { expect } from "@playwright/test";
import { freePort } from "../tools/testing/free-port.ts";
import { pausePostgres } from "../tools/testing/pause-postgres.ts";
import { ADMIN_PASSWORD } from "./global-setup.ts";
import { test } from "./journey.ts";
import { databaseUrlOf } from "./shop-database.ts";
import { makeDataDir, type ShopProcess, startShopProcess } from "./shop-process.ts";

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
});
// The next test, and the end of the shop, need a database that answers.
test.afterEach(async () => {
  resume();
  await expect.poll(async () => (await ask("/readyz")).status).toBe(200);
});
test.afterAll(async () => {
  await shop?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function ask(path: string, init: RequestInit = {}) {
  const began = performance.now();
  const answer = await fetch(`${shop.url}${path}`, { redirect: "manual", ...init });
  const text = await answer.text();
  return {
    status: answer.status,
    retryAfter: Number(answer.headers.get("retry-after")),
    type: answer.headers.get("content-type") ?? "",
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
  const answer = await fetch(`${shop.url}/api/auth/sign-up/email`, post(account));
  expect(answer.status).toBe(200);
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}

test("while the database hangs, every page says so within five seconds, whoever asks", async () => {
  const pages = ["/", "/dashboard", "/tools/canva", "/admin", "/reset-password?token=none"];
  const answers = await Promise.all([
    ask("/"),
    ask("/admin"),
    ...pages.map((path) => ask(path, { headers: { cookie } })),
  ]);
  for (const { status, retryAfter, type, text, ms } of answers) {
    expect(status).toBe(503);
    expect(retryAfter).toBeGreaterThan(0);
    expect(type).toContain("text/html");
    expect(text).toContain("The shop cannot reach its database right now.");
    expect(text).toContain("Try again");
    expect(ms).toBeLessThan(5_000);
  }
  const { status, retryAfter, text } = await ask("/dashboard.data", { headers: { cookie } });
  expect({ status, text }).toMatchObject({ status: 503, text: expect.stringContaining("its database") });
  expect(retryAfter).toBeGreaterThan(0);
});

test("while the database hangs, every endpoint answers in its own JSON, whoever asks", async () => {
  const id = "01890000-0000-7000-8000-000000000000";
  const headers = { cookie };
  const paid = { orderId: "order_x", paymentId: "pay_x", signature: "0".repeat(64) };
  const asked: [string, RequestInit][] = [
    ["/checkout/offer?tool=canva", { headers }],
    ["/checkout/offer?tool=canva", {}],
    [`/checkout/status?purchaseId=${id}`, { headers }],
    ["/checkout/start", post({ slug: "canva", option: null, coupon: null }, headers)],
    ["/checkout/confirm", post(paid, headers)],
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
  const answers = await Promise.all(
    asked.map(async ([path, init]) => ({ path, ...(await ask(path, init)) })),
  );
  for (const { path, status, retryAfter, text, ms } of answers) {
    expect({ path, status, body: JSON.parse(text) }).toMatchObject({
      path,
      status: 503,
      body: { code: "unavailable" },
    });
    expect(retryAfter, path).toBeGreaterThan(0);
    expect(ms, path).toBeLessThan(5_000);
  }
});

test("while the database hangs, the shop lives but is not ready", async () => {
  const [lives, ready] = await Promise.all([ask("/healthz"), ask("/readyz")]);
  expect(lives).toMatchObject({ status: 200, text: '{"ok":true}' });
  expect(lives.ms).toBeLessThan(1_000);
  expect(ready).toMatchObject({ status: 503, text: '{"ok":false,"database":"down"}' });
  expect(ready.ms).toBeLessThan(3_000);
});

test("a buyer who meets the outage tries again and is in the shop, without a restart of it", async ({
  page,
  faults,
}) => {
  await page.goto(shop.url);
  await expect(page.getByRole("heading", { name: "The shop is unavailable right now" })).toBeVisible();
  resume();
  const again = page.getByRole("link", { name: "Try again" });
  await expect(async () => {
    await again.click();
    await expect(page.getByRole("button", { name: "Get access to Canva", exact: true })).toBeVisible({
      timeout: 2_000,
    });
  }).toPass();
  // The browser reports the page that was answered with 503, once for each try.
  expect(faults.filter((fault) => !fault.includes("503"))).toEqual([]);
  faults.length = 0;
});
