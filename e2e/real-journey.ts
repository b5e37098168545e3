import { type BrowserContext, expect, type FrameLocator, type Locator, type Page } from "@playwright/test";
import type { PaymentFacts } from "../tools/testing/fake-gateway/control.ts";
import type { FakeGateway } from "../tools/testing/fake-gateway/fake-gateway.ts";
import { test as journey } from "./journey.ts";
import { orderIdsOf } from "./payment-records.ts";
import { type RealShop, startRealShop, WEBHOOK_SECRETS } from "./real-shop.ts";
import type { ShopPage } from "./shop-page.ts";

interface RealJourney {
  /** The gateway's own side, in test mode. Its faults end with the journey, its books stay. */
  gateway: FakeGateway;
}

/** Journeys through a shop that takes its payments through Razorpay. They share one such shop. */
export const test = journey.extend<RealJourney, { realShop: RealShop }>({
  realShop: [
    async ({ browserName: _ }, provide) => {
      const shop = await startRealShop();
      // This process runs journeys through this shop only, and what they read of a shop they find there.
      process.env.E2E_BASE_URL = shop.url;
      process.env.E2E_DATA_DIR = shop.dataDir;
      await provide(shop);
      await shop.stop();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  baseURL: async ({ realShop }, provide) => {
    await provide(realShop.url);
  },
  gateway: [
    async ({ realShop }, provide) => {
      await realShop.useKeys("test");
      const { gateway } = realShop;
      await provide(gateway);
      gateway.faults.clear();
      gateway.webhooks.configure({ mode: "at-once", secret: WEBHOOK_SECRETS.current });
    },
    { auto: true },
  ],
  context: async ({ context, realShop }, provide) => {
    await leadToGateway(context, realShop);
    await provide(context);
    await context.unrouteAll({ behavior: "ignoreErrors" });
  },
  newcomer: async ({ newcomer, realShop }, provide) => {
    await provide(async (options) => {
      const shop = await newcomer(options);
      await leadToGateway(shop.page.context(), realShop);
      return shop;
    });
  },
});

/** What the real script does in the page beside opening its window. */
const ON_THE_SIDE = `
  const risk = document.createElement("script");
  risk.src = "https://cdn.razorpay.com/static/cx/razorpay-risk-detection/bundle.js";
  document.head.append(risk);
  for (const host of ["lumberjack", "lumberjack-cx", "lumberjack-metrics"]) {
    navigator.sendBeacon("https://" + host + ".razorpay.com/v1/track", "{}");
  }
`;

/** Whatever this browser asks of Razorpay is answered by the fake. */
async function leadToGateway(context: BrowserContext, shop: RealShop): Promise<void> {
  await context.route(/^https:\/\/[\w-]+\.razorpay\.com\//, async (route) => {
    const { hostname, pathname, search } = new URL(route.request().url());
    if (hostname.startsWith("lumberjack")) return route.fulfill({ status: 204 });
    if (hostname.startsWith("cdn")) return route.fulfill({ contentType: "text/javascript", body: "" });
    const response = await route.fetch({ url: `${shop.gateway.url}${pathname}${search}` });
    if (pathname !== "/v1/checkout.js") return route.fulfill({ response });
    const body = `${await response.text()};{${ON_THE_SIDE}}`;
    await route.fulfill({ status: response.status(), contentType: "text/javascript", body });
  });
}

/** The gateway's window, over the shop's page. */
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

  /** Before its page is loaded, its buttons are there and nothing listens yet. */
  async untilAlive(): Promise<void> {
    await expect(this.button("Pay")).toBeVisible();
    const [frame] = this.#page.frames().filter((one) => one.url().startsWith("https://api.razorpay.com/"));
    await frame?.waitForLoadState();
  }

  async pay(): Promise<void> {
    await this.untilAlive();
    await this.button("Pay").click();
  }
}

/** What a buyer chooses; the price as it is shown, such as `₹149`. */
export interface Choice {
  tool: string;
  option: string;
  price: string;
}

/** From the card of a tool to before the pay button. */
export async function choosePass(shop: ShopPage, { tool, option }: Choice): Promise<void> {
  await shop.open("/");
  await shop.openPurchase(tool);
  await shop.purchase.option(option).check();
}

/** And on to the gateway's window. */
export async function goToWindow(shop: ShopPage, choice: Choice): Promise<GatewayWindow> {
  await choosePass(shop, choice);
  await shop.purchase.pay(choice.price).click();
  const window = new GatewayWindow(shop);
  await window.untilAlive();
  return window;
}

/** What the gateway's books say of one person's payments, oldest first. */
export async function paymentsAt(gateway: FakeGateway, email: string): Promise<PaymentFacts[]> {
  return (await orderIdsOf(email)).flatMap((orderId) => gateway.paymentsOf(orderId));
}
