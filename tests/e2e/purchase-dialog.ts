import { expect, type FrameLocator, type Locator, type Page } from "@playwright/test";
import { readSuccessPanel } from "./success-panels.ts";

/** Page object of the purchase dialog and of the sandbox gateway's window. */
export class PurchaseDialog {
  readonly root: Locator;
  /** The window of the sandbox gateway. */
  readonly gateway: FrameLocator;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    this.root = page.getByRole("dialog").filter({ hasNot: page.locator("iframe") });
    this.gateway = page.frameLocator('iframe:is([title="Test payment"], [title="टेस्ट पेमेंट"])');
  }

  get options(): Locator {
    return this.root.getByRole("radiogroup", { name: "Choose a duration" }).getByRole("radio");
  }

  option(label: string): Locator {
    return this.root.getByRole("radio", { name: label });
  }

  /** Such as `₹149`. */
  pay(amount: string): Locator {
    return this.root.getByRole("button", { name: `Pay ${amount}`, exact: true });
  }

  /** Replaces Pay when a coupon leaves ₹0. */
  get freeAccessButton(): Locator {
    return this.root.getByRole("button", { name: "Get access for ₹0", exact: true });
  }

  get coupon(): Locator {
    return this.root.getByRole("textbox", { name: "Coupon code", exact: true });
  }

  get couponToggle(): Locator {
    return this.root.getByRole("button", { name: "Have a coupon?", exact: true });
  }

  /** Opens the coupon row, unless it is open already. */
  async openCoupon(): Promise<void> {
    if ((await this.couponToggle.getAttribute("aria-expanded")) === "false") await this.couponToggle.click();
    await expect(this.coupon).toBeVisible();
  }

  couponButton(name: "Apply" | "Remove"): Locator {
    return this.root.getByRole("button", { name, exact: true });
  }

  /** Types a code and presses Apply. */
  async apply(code: string): Promise<void> {
    await this.openCoupon();
    await this.coupon.fill(code);
    await this.couponButton("Apply").click();
  }

  /** The original price, or the price before the coupon, struck through, such as `₹149`. */
  struckPrice(amount: string): Locator {
    return this.root.locator("dl s").getByText(amount, { exact: true });
  }

  get gatewayHeading(): Locator {
    return this.gateway.getByRole("heading");
  }

  /** By what it does, because the window is in the language of the page. */
  gatewayButton(name: "Pay" | "Fail" | "Close"): Locator {
    return this.gateway.locator(`[data-choice="${name.toLowerCase()}"]`);
  }

  /** A message of the dialog. */
  notice(text: string): Locator {
    return this.root.getByText(text, { exact: true });
  }

  get success(): Locator {
    return this.root.getByRole("heading", { name: "Payment received" });
  }

  /** Waits until the page has shown the success panel. The panel may have closed by itself since. */
  async expectSuccess(title: "Payment received" | "You have access" = "Payment received"): Promise<void> {
    await expect.poll(async () => (await readSuccessPanel(this.#page))?.title).toBe(title);
  }

  /** Rounded to pixels, because the box has fractions during the opening animation. */
  async height(): Promise<number> {
    return Math.round((await this.root.boundingBox())?.height ?? 0);
  }

  /** Clicks Pay and waits for the gateway's window. */
  async openGateway(amount: string): Promise<void> {
    await this.pay(amount).click();
    await expect(this.gatewayButton("Pay")).toBeVisible();
  }

  /** After a purchase the dialog closes by itself onto the page of the tool. */
  async expectToolPage(slug: string): Promise<void> {
    await expect(this.#page).toHaveURL(new RegExp(`/(?:tools/)?${slug}$`));
    await this.expectGone();
  }

  async expectGone(): Promise<void> {
    await expect(this.#page.getByRole("dialog")).toHaveCount(0);
  }
}
