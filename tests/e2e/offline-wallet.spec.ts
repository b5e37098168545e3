import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer } from "node:http";
import { expect, type Page } from "@playwright/test";
import { z } from "zod";
import { freePort } from "../free-port.ts";
import { expectAccessible } from "./accessibility.ts";
import { ADMIN_EMAIL, becomeAdmin } from "./admin-page.ts";
import { listCodes } from "./demo-catalogue.ts";
import { expectOnlyLostRequests, test } from "./fixtures.ts";
import { holdRequests } from "./hold-requests.ts";
import { query, readGatewayIds } from "./shop-database.ts";
import { ShopPage } from "./shop-page.ts";
import { ADMIN_PASSWORD, makeDataDir, startShopProcess } from "./shop-process.ts";
import { buyPass, PASSWORD, postForm, signInAsNewUser } from "./test-users.ts";

test.use({ viewport: { width: 390, height: 844 } });

const OFFLINE = "You are offline";
const NOTHING_STORED = "Connect to the internet, then sign in to see your passes.";
const purchaseRows = z.tuple([z.object({ id: z.string(), number: z.string() })]);

/** The id and the order number of the last purchase of a buyer. */
async function readPurchase(email: string) {
  const rows = await query(
    `select id, order_number as number from user_purchases where user_email = $1
     order by created_at desc limit 1`,
    [email],
  );
  return purchaseRows.parse(rows)[0];
}

/** All that this browser has stored for the worker: the text of each answer, by its cache and address. */
function readCaches(page: Page): Promise<Record<string, string>> {
  return page.evaluate(async () => {
    const stored: Record<string, string> = {};
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        const answer = await cache.match(request);
        stored[`${name} ${new URL(request.url).pathname}`] = (await answer?.text()) ?? "";
      }
    }
    return stored;
  });
}

/** A document that is being replaced answers nothing, and is asked again: one whose scripts do not load is loaded once more. */
async function expectNothingStored(page: Page): Promise<void> {
  await expect(async () => expect(await readCaches(page)).toEqual({})).toPass({ timeout: 20_000 });
}

const storedTexts = async (page: Page) => Object.values(await readCaches(page)).join();

/** Opens the dashboard, and waits until its passes are stored and the worker is there. */
async function openWallet(shop: ShopPage, tool: string): Promise<void> {
  await shop.open("/dashboard");
  await expect(shop.pass(tool)).toBeVisible();
  await expectStored(shop, tool);
}

/** Waits until a pass is stored and the worker is there. */
async function expectStored(shop: ShopPage, tool: string): Promise<void> {
  await expect.poll(() => storedTexts(shop.page)).toContain(tool);
  const activeScopes = () =>
    shop.page.evaluate(async () => {
      const registrations = await navigator.serviceWorker.getRegistrations();
      return registrations.map(({ scope, active }) => `${new URL(scope).pathname} ${active?.state}`).sort();
    });
  await expect.poll(activeScopes).toEqual(["/auth/sign-out activated", "/dashboard activated"]);
}

/** The dashboard as somebody sees it who opens the app without a connection. */
async function openOffline(page: Page): Promise<void> {
  await page.context().setOffline(true);
  await page.goto("/dashboard");
  await expect(page.getByRole("heading", { name: OFFLINE })).toBeVisible();
}

async function goOnline(page: Page, browserErrors: string[]): Promise<void> {
  await page.context().setOffline(false);
  expectOnlyLostRequests(browserErrors);
}

test("without a connection the dashboard shows the passes that it showed last, and opens again with one", async ({
  shop,
  page,
  browserErrors,
}) => {
  const { email } = await signInAsNewUser(page);
  await buyPass(page, "canva", "7 Days");
  await openWallet(shop, "Canva");
  const { number } = await readPurchase(email);
  await openOffline(page);
  await expect(page.getByText(/^These are your passes as of \d\d\/\d\d\/\d\d,\s\d\d:\d\d\./)).toBeVisible();
  const pass = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "Canva" }) });
  await expect(pass.getByText("Active", { exact: true })).toBeVisible();
  await expect(pass.getByText(/^Ends \d\d\/\d\d\/\d\d, \d\d:\d\d · 7 days left$/)).toBeVisible();
  await expect(pass.getByText(`Order number ${number}`)).toBeVisible();
  // Nothing else that could be pressed.
  await expect(page.getByRole("link")).toHaveText(["Try again"]);
  await expect(page.getByRole("button")).toHaveCount(0);
  await expectAccessible(page, "offline wallet");

  await page.getByRole("link", { name: "Try again" }).click();
  await expect(page.getByRole("heading", { name: OFFLINE })).toBeVisible();
  await goOnline(page, browserErrors);
  await page.getByRole("link", { name: "Try again" }).click();
  await shop.waitForHydration();
  await expect(shop.pass("Canva").getByRole("link", { name: "Open Canva" })).toBeVisible();
  await test.step("the files of the dashboard, and other pages, do not pass the worker", async () => {
    expect(await page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
    const sources = await page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .filter(({ name }) => name.includes("/assets/"))
        // The second name is that of earlier versions of Chromium.
        .map(
          (entry) =>
            Reflect.get(entry, "workerMatchedSourceType") ?? Reflect.get(entry, "workerMatchedRouterSource"),
        ),
    );
    expect(new Set(sources)).toEqual(new Set(["network"]));
    await shop.open("/");
    expect(await page.evaluate(() => navigator.serviceWorker.controller)).toBeNull();
  });
  await test.step("when a list of somebody else is stored as well, neither is shown", async () => {
    await page.evaluate(() => caches.open("wallet-1-another"));
    await openOffline(page);
    await expect(page.getByText(NOTHING_STORED)).toBeVisible();
    await expect(page.getByText("Canva")).toHaveCount(0);
    await goOnline(page, browserErrors);
  });
});

test("a buyer who has not opened the dashboard reads each pass without a connection, from the purchase on", async ({
  shop,
  page,
  browserErrors,
}) => {
  const address = /\/dashboard\/wallet$/;
  let requests = 0;
  page.on("request", (request) => {
    if (address.test(request.url())) requests += 1;
  });
  // Idle callbacks run in the order of their requests.
  const waitUntilIdle = () => page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  const buy = async (slug: string, option: string, price: string) => {
    await shop.open(`/shop/${slug}`);
    await page
      .getByRole("main")
      .getByRole("button", { name: /^Get access to / })
      .first()
      .click();
    await shop.purchase.option(option).check();
    await shop.purchase.openGateway(price);
    await shop.purchase.gatewayButton("Pay").click();
    await shop.purchase.expectSuccess();
    await shop.purchase.expectToolPage(slug);
  };
  await signInAsNewUser(page);
  await buy("canva", "7 Days", "₹49");
  await expectStored(shop, "Canva");
  await openOffline(page);
  await expect(shop.heading("Canva")).toBeVisible();
  await goOnline(page, browserErrors);

  await buy("quillbot", "90 Days", "₹269");
  await expectStored(shop, "QuillBot");
  await test.step("the page that the purchase has opened does not ask again", async () => {
    await waitUntilIdle();
    expect(requests).toBe(2);
  });
  await openOffline(page);
  await expect(shop.heading("Canva")).toBeVisible();
  await expect(shop.heading("QuillBot")).toBeVisible();
  await goOnline(page, browserErrors);

  await test.step("a pass from elsewhere is stored by the page of its tool, once in a document", async () => {
    await buyPass(page, "chatgpt", "7 Days");
    requests = 0;
    await shop.open("/tools/chatgpt");
    await expectStored(shop, "ChatGPT Pro");
    await page.getByRole("link", { name: "Daypass" }).click();
    await expect(page).toHaveURL(/\/$/);
    await page.goBack();
    await expect(shop.heading("ChatGPT Pro")).toBeVisible();
    await waitUntilIdle();
    expect(requests).toBe(1);
  });
  await test.step("a sign-out during the request leaves nothing", async () => {
    let signedOut: (() => void) | undefined;
    const afterSignOut = new Promise<void>((resolve) => {
      signedOut = resolve;
    });
    await page.route(address, async (route) => {
      const response = await route.fetch();
      await afterSignOut;
      await route.fulfill({ response }).catch(() => undefined);
    });
    const asked = page.waitForRequest(address);
    // The sign-out loads a new document, and so ends the request.
    const ended = page.waitForEvent("requestfailed", (request) => address.test(request.url()));
    await shop.open("/tools/chatgpt");
    await asked;
    await shop.accountNav.getByRole("button", { name: "Logout" }).click();
    await expect(shop.accountNav.getByRole("button", { name: "Get Started" })).toBeVisible();
    await expectNothingStored(page);
    await ended;
    signedOut?.();
    await waitUntilIdle();
    expect(await readCaches(page)).toEqual({});
  });
});

test("each end of a session empties the wallet, also on a page whose scripts do not run", async ({
  shop,
  page,
  browserErrors,
}) => {
  const expectNoWallet = async () => {
    await expectNothingStored(page);
    await openOffline(page);
    await expect(page.getByText(NOTHING_STORED)).toBeVisible();
    await expect(page.getByText("Canva")).toHaveCount(0);
    await goOnline(page, browserErrors);
  };
  const signIn = async () => {
    const account = await signInAsNewUser(page);
    await buyPass(page, "canva", "7 Days");
    await openWallet(shop, "Canva");
    return account;
  };
  const scripts = /\/assets\/.*\.js$/;
  /** The dashboard, whose scripts do not load, until it has led to the home page and the wallet is gone. */
  const openWithoutScripts = async (act?: () => Promise<void>) => {
    await page.route(scripts, (route) => route.abort());
    await page.goto("/dashboard");
    await act?.();
    await expect(page).toHaveURL(/\/$/);
    // It loads itself once more, and then says so: until then it would end the next navigation.
    await expect(page.getByText("This page did not load fully")).toBeVisible();
    await expectNothingStored(page);
    await page.unroute(scripts);
    browserErrors.length = 0;
  };
  await test.step("Sign Out on the dashboard", async () => {
    await signIn();
    await page.getByRole("button", { name: "Sign Out" }).click();
    await expect(shop.accountNav.getByRole("button", { name: "Get Started" })).toBeVisible();
    await expectNoWallet();
  });
  await test.step("Sign Out as a plain form", async () => {
    await signIn();
    await openWithoutScripts(() => page.getByRole("button", { name: "Sign Out" }).click());
    await expectNoWallet();
  });
  await test.step("Sign Out in another tab, while the scripts of the dashboard are still on their way", async () => {
    await signIn();
    const release = await holdRequests(page, scripts);
    await page.goto("/dashboard", { waitUntil: "commit" });
    await expect(page.getByRole("button", { name: "Sign Out" })).toBeVisible();
    const other = await page.context().newPage();
    await other.goto("/account");
    await other.getByRole("button", { name: "Sign Out" }).click();
    await expect(other).toHaveURL(/\/$/);
    await other.close();
    release();
    await expect(page).toHaveURL(/\/$/);
    await page.unroute(scripts);
    await expectNoWallet();
  });
  await test.step("a session that was ended elsewhere, when the dashboard redirects", async () => {
    const { email } = await signIn();
    await page.goto("about:blank");
    await query("delete from sessions using users where users.id = sessions.user_id and users.email = $1", [
      email,
    ]);
    await openWithoutScripts();
    await expectNoWallet();
  });
  await test.step("the account is deleted", async () => {
    await signIn();
    const ends = { passes: "1", checkouts: "0" };
    const fields = { intent: "delete", password: PASSWORD, confirmation: "DELETE", ...ends };
    expect((await postForm(page, "/account", fields)).status()).toBe(302);
    await shop.open("/account/deleted");
    await expectNoWallet();
  });
  await test.step("another person signs in, who has not opened the dashboard", async () => {
    await signIn();
    await signInAsNewUser(page);
    await shop.open("/");
    await expectNoWallet();
  });
});

test("the browser stores no code, no payment, no address and no page of the admin, after each has been shown", async ({
  shop,
  page,
}) => {
  await becomeAdmin(page);
  await page.goto("/admin/login");
  await buyPass(page, "chatgpt", "30 Days");
  await openWallet(shop, "ChatGPT Pro");
  const purchase = await readPurchase(ADMIN_EMAIL);
  await shop.open("/tools/chatgpt");
  await shop.server("Server 1").getByRole("button", { name: "Show code" }).click();
  const code = listCodes("chatgpt")[0]?.simpleCode ?? "";
  await expect(shop.server("Server 1").getByRole("textbox")).toHaveValue(code);
  await shop.open("/admin/access-codes");
  await expect(shop.heading("Admin Dashboard")).toBeVisible();
  await openWallet(shop, "ChatGPT Pro");

  const stored = await readCaches(page);
  expect(Object.keys(stored)).toEqual([expect.stringMatching(/^wallet-1-[0-9a-f-]{36} \/dashboard$/)]);
  const text = Object.values(stored).join();
  const { passes, ...facts } = z
    .object({ passes: z.array(z.record(z.string(), z.unknown())) })
    .loose()
    .parse(JSON.parse(text));
  expect(Object.keys(facts).sort()).toEqual([
    "accent",
    "language",
    "shopName",
    "shownAt",
    "texts",
    "timeZone",
  ]);
  expect(passes.map((pass) => Object.keys(pass).sort())).toEqual([
    ["endsAt", "orderNumber", "startsAt", "toolName"],
  ]);
  for (const secret of [code, purchase.id, ...(await readGatewayIds(purchase.id)), "@"])
    expect(text).not.toContain(secret);
  expect(await page.evaluate(() => indexedDB.databases())).toEqual([]);
});

test("a visitor downloads no worker, and the worker and the icons are served as what they are", async ({
  shop,
  page,
}) => {
  await shop.open("/");
  await page.waitForLoadState("networkidle");
  expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0);
  await test.step("the browser reads the manifest without an error", async () => {
    const browser = await page.context().newCDPSession(page);
    const { errors, url, data = "" } = await browser.send("Page.getAppManifest");
    expect([errors, new URL(url).pathname]).toEqual([[], "/manifest.webmanifest"]);
    expect(JSON.parse(data)).toMatchObject({
      name: "Daypass",
      start_url: "/dashboard",
      theme_color: "#f4a921",
    });
  });
  const worker = await page.request.get("/wallet-worker.js");
  expect(worker.headers()).toMatchObject({
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "no-cache",
    "content-encoding": "br",
    "content-security-policy": "default-src 'none'; connect-src 'self'",
  });
  const known = { "if-none-match": worker.headers().etag ?? "" };
  expect((await page.request.get("/wallet-worker.js", { headers: known })).status()).toBe(304);
  const address = await page.locator('link[rel="manifest"]').getAttribute("href");
  const { icons } = z
    .object({ icons: z.array(z.object({ src: z.string() })) })
    .parse(await (await page.request.get(address ?? "")).json());
  for (const src of [...icons.map((icon) => icon.src), "/apple-touch-icon.png"])
    expect((await page.request.get(src)).headers()["content-type"], src).toBe("image/png");
});

test("a shop that is stopped, or that its proxy cannot reach, leaves the wallet readable", async ({
  browser,
}) => {
  const dataDir = makeDataDir();
  const port = await freePort();
  const context = await browser.newContext({ baseURL: `http://localhost:${port}` });
  try {
    const process = await startShopProcess({ dataDir, port, settings: { ADMIN_PASSWORD } });
    const page = await context.newPage();
    const shop = new ShopPage(page);
    try {
      await shop.open("/");
      await signInAsNewUser(page);
      await buyPass(page, "canva", "7 Days");
      await openWallet(shop, "Canva");
    } finally {
      await process.stop();
    }
    await page.goto("/dashboard");
    await expect(shop.heading(OFFLINE)).toBeVisible();
    await expect(shop.heading("Canva")).toBeVisible();

    const proxy = createServer((_, response) => response.writeHead(502).end("Bad gateway"));
    proxy.listen(port, "localhost");
    await once(proxy, "listening");
    await page.getByRole("link", { name: "Try again" }).click();
    await expect(shop.heading("The shop is not responding")).toBeVisible();
    await expect(shop.heading("Canva")).toBeVisible();
    proxy.closeAllConnections();
    proxy.close();
  } finally {
    await context.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
