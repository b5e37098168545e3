import { expect, type FrameLocator, type Locator, type Page } from "@playwright/test";

/** The purchase modal, and the test gateway's window that it opens. */
export class PurchaseDialog {
  readonly root: Locator;
  /** The gateway's own page, over ours. */
  readonly gateway: FrameLocator;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    this.root = page.getByRole("dialog").filter({ hasNot: page.locator("iframe") });
    this.gateway = page.frameLocator('iframe[title="Test payment"]');
  }

  option(label: string): Locator {
    return this.root.getByRole("radio", { name: label });
  }

  /** Such as `₹149`. */
  pay(amount: string): Locator {
    return this.root.getByRole("button", { name: `Pay ${amount}`, exact: true });
  }

  /** In place of Pay, where a coupon leaves nothing to pay. */
  get getForNothing(): Locator {
    return this.root.getByRole("button", { name: "Get access for ₹0", exact: true });
  }

  get coupon(): Locator {
    return this.root.getByRole("textbox", { name: "Coupon code", exact: true });
  }

  couponButton(name: "Apply" | "Remove"): Locator {
    return this.root.getByRole("button", { name, exact: true });
  }

  /** Types a code and presses Apply. */
  async apply(code: string): Promise<void> {
    await this.coupon.fill(code);
    await this.couponButton("Apply").click();
  }

  /** The price that the applied coupon took the place of, such as `₹149`. */
  struck(amount: string): Locator {
    return this.root.locator("dl s").getByText(amount, { exact: true });
  }

  gatewayButton(name: "Pay" | "Fail" | "Close"): Locator {
    return this.gateway.getByRole("button", { name, exact: true });
  }

  /** What the dialog says below its button; a listener hears it as a part of something longer. */
  notice(words: string): Locator {
    return this.root.getByText(words, { exact: true });
  }

  get success(): Locator {
    return this.root.getByRole("heading", { name: "Payment received" });
  }

  /** In whole pixels: while it comes in, its place still moves, and the box is a sum of fractions. */
  async height(): Promise<number> {
    return Math.round((await this.root.boundingBox())?.height ?? 0);
  }

  /** From our Pay button to the gateway's window. */
  async goToGateway(amount: string): Promise<void> {
    await this.pay(amount).click();
    await expect(this.gatewayButton("Pay")).toBeVisible();
  }

  async expectGone(): Promise<void> {
    await expect(this.#page.getByRole("dialog")).toHaveCount(0);
  }
}
