import { type BrowserContextOptions, test as base, expect } from "@playwright/test";
import { ShopPage } from "./shop-page.ts";
import { watchFaults } from "./watched-context.ts";

interface Journey {
  /** What went wrong behind the screen; a journey fails when there is anything in it at its end. */
  faults: string[];
  /** The shop in the test's own browser window. */
  shop: ShopPage;
  /** Somebody else, in a browser of their own. */
  newcomer: (options?: BrowserContextOptions) => Promise<ShopPage>;
}

export const test = base.extend<Journey>({
  faults: [
    async ({ context }, provide) => {
      const faults: string[] = [];
      watchFaults(context, faults);
      await provide(faults);
      expect(faults, "nothing goes wrong behind the screen").toEqual([]);
    },
    { auto: true },
  ],
  shop: async ({ page }, provide) => {
    await provide(new ShopPage(page));
  },
  newcomer: async ({ browser, baseURL, faults }, provide) => {
    const made: Array<{ close(): Promise<void> }> = [];
    await provide(async (options = {}) => {
      const context = await browser.newContext({ ...(baseURL && { baseURL }), ...options });
      made.push(context);
      watchFaults(context, faults);
      return new ShopPage(await context.newPage());
    });
    for (const context of made) await context.close();
  },
});
