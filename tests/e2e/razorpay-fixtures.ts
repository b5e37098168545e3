import { type BrowserContext, expect, type FrameLocator, type Locator, type Page } from "@playwright/test";
import type { PaymentFacts } from "../fake-gateway/control.ts";
import type { FakeGateway } from "../fake-gateway/fake-gateway.ts";
import { test as base } from "./fixtures.ts";
import { listOrderIds } from "./payment-records.ts";
import { type RazorpayShop, startRazorpayShop, WEBHOOK_SECRETS } from "./razorpay-shop.ts";
import type { ShopPage } from "./shop-page.ts";

interface RazorpayFixtures {
  /** The fake gateway, in test mode. Faults are cleared after each test, records stay. */
  gateway: FakeGateway;
}

/** For tests with a shop that uses Razorpay. They share one shop. */
export const test = base.extend<RazorpayFixtures, { razorpayShop: RazorpayShop }>({
  razorpayShop: [
    async ({ browserName: _ }, provide) => {
      const shop = await startRazorpayShop();
      // This process runs tests of this shop only; helpers that read the database use these variables.
      process.env.E2E_BASE_URL = shop.url;
      process.env.E2E_DATA_DIR = shop.dataDir;
      await provide(shop);
      await shop.stop();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  baseURL: async ({ razorpayShop }, provide) => {
    await provide(razorpayShop.url);
  },
  gateway: [
    async ({ razorpayShop }, provide) => {
      await razorpayShop.useKeys("test");
      const { gateway } = razorpayShop;
      await provide(gateway);
      gateway.faults.clear();
      gateway.webhooks.configure({ mode: "at-once", secret: WEBHOOK_SECRETS.current });
    },
    { auto: true },
  ],
  context: async ({ context, razorpayShop }, provide) => {
    await routeToFakeGateway(context, razorpayShop);
    await provide(context);
    await context.unrouteAll({ behavior: "ignoreErrors" });
  },
  openOtherBrowser: async ({ openOtherBrowser, razorpayShop }, provide) => {
    await provide(async (options) => {
      const shop = await openOtherBrowser(options);
      await routeToFakeGateway(shop.page.context(), razorpayShop);
      return shop;
    });
  },
});

/** Requests that the real script makes beside opening its window. */
const EXTRA_REQUESTS = `
  const risk = document.createElement("script");
  risk.src = "https://cdn.razorpay.com/static/cx/razorpay-risk-detection/bundle.js";
  document.head.append(risk);
  for (const host of ["lumberjack", "lumberjack-cx", "lumberjack-metrics"]) {
    navigator.sendBeacon("https://" + host + ".razorpay.com/v1/track", "{}");
  }
`;

/** Routes all requests of the browser to Razorpay to the fake. */
async function routeToFakeGateway(context: BrowserContext, shop: RazorpayShop): Promise<void> {
  await context.route(/^https:\/\/[\w-]+\.razorpay\.com\//, async (route) => {
    const { hostname, pathname, search } = new URL(route.request().url());
    if (hostname.startsWith("lumberjack")) return route.fulfill({ status: 204 });
    if (hostname.startsWith("cdn")) return route.fulfill({ contentType: "text/javascript", body: "" });
    const response = await route.fetch({ url: `${shop.gateway.url}${pathname}${search}` });
    if (pathname !== "/v1/checkout.js") return route.fulfill({ response });
    const body = `${await response.text()};{${EXTRA_REQUESTS}}`;
    await route.fulfill({ status: response.status(), contentType: "text/javascript", body });
  });
}

/** Page object of the gateway's window. */
export class GatewayWindow {
  readonly root: Locator;
  readonly content: FrameLocator;
  readonly #page: Page;

  constructor({ page }: ShopPage) {
    this.#page = page;
    this.root = page.locator('iframe[title="Razorpay Checkout"]');
    this.content = this.root.contentFrame();
  }

  button(name: "Pay" | "Fail" | "Close"): Locator {
    return this.content.getByRole("button", { name, exact: true });
  }

  /** Before its page has loaded, the buttons are visible but have no handlers. */
  async waitForHydration(): Promise<void> {
    await expect(this.button("Pay")).toBeVisible();
    const [frame] = this.#page.frames().filter((one) => one.url().startsWith("https://api.razorpay.com/"));
    await frame?.waitForLoadState();
  }

  async pay(): Promise<void> {
    await this.waitForHydration();
    await this.button("Pay").click();
  }
}

/** A pricing option of a tool; the price as shown, such as `₹149`. */
export interface PassChoice {
  tool: string;
  option: string;
  price: string;
}

/** Opens the purchase dialog of a tool and selects an option. */
export async function choosePass(shop: ShopPage, { tool, option }: PassChoice): Promise<void> {
  await shop.open("/");
  await shop.openPurchase(tool);
  await shop.purchase.option(option).check();
}

/** Opens the gateway's window for an option. */
export async function openGatewayWindow(shop: ShopPage, choice: PassChoice): Promise<GatewayWindow> {
  await choosePass(shop, choice);
  await shop.purchase.pay(choice.price).click();
  const window = new GatewayWindow(shop);
  await window.waitForHydration();
  return window;
}

/** The gateway's records of the payments of one buyer, oldest first. */
export async function listGatewayPayments(gateway: FakeGateway, email: string): Promise<PaymentFacts[]> {
  return (await listOrderIds(email)).flatMap((orderId) => gateway.paymentsOf(orderId));
}
