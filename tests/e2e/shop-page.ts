import { expect, type Locator, type Page } from "@playwright/test";
import { PurchaseDialog } from "./purchase-dialog.ts";
import { SignInDialog } from "./sign-in-dialog.ts";
import { signInAsNewUser } from "./test-users.ts";

/** Page object of the shop. Locators use the visible names and roles. */
export class ShopPage {
  readonly page: Page;
  readonly signIn: SignInDialog;
  readonly purchase: PurchaseDialog;

  constructor(page: Page) {
    this.page = page;
    this.signIn = new SignInDialog(page);
    this.purchase = new PurchaseDialog(page);
  }

  /** Opens an address and waits until the page is interactive. */
  async open(path: string): Promise<void> {
    await this.page.goto(path);
    await this.waitForHydration();
  }

  async reload(): Promise<void> {
    await this.page.reload();
    await this.waitForHydration();
  }

  /** Before hydration the buttons are visible but have no handlers. */
  async waitForHydration(): Promise<void> {
    await this.page.waitForFunction(() => window.preHydrationEvents?.interactive === true);
  }

  get cards(): Locator {
    return this.page.getByRole("listitem").filter({ has: this.page.getByRole("heading", { level: 3 }) });
  }

  card(tool: string): Locator {
    return this.cards.filter({ has: this.page.getByRole("heading", { name: tool, exact: true }) });
  }

  /** Clicks the card of a tool that can be bought. */
  async choose(tool: string): Promise<void> {
    await this.page
      .getByRole("button", { name: new RegExp(`^(Get access to|Contact about) ${tool}$`) })
      .click();
  }

  async openPurchase(tool: string): Promise<void> {
    await this.choose(tool);
    await expect(this.purchase.root).toBeVisible();
  }

  get accountNav(): Locator {
    return this.page.getByRole("navigation", { name: "Account" });
  }

  /** A pass on the dashboard. */
  pass(tool: string): Locator {
    return this.page
      .getByRole("listitem")
      .filter({ has: this.page.getByRole("heading", { name: tool, exact: true, level: 2 }) });
  }

  /** The row of a server on a tool page. */
  server(name: string): Locator {
    return this.page
      .getByRole("list", { name: "Servers" })
      .getByRole("listitem")
      .filter({ has: this.page.getByRole("heading", { name, exact: true }) });
  }

  heading(name: string): Locator {
    return this.page.getByRole("heading", { name, exact: true });
  }
}

/** Signs in as a new user, opens the purchase dialog of a tool on its own page, and selects an option. */
export async function openOrderSummary(
  shop: ShopPage,
  slug: string,
  option: string,
): Promise<{ email: string }> {
  const user = await signInAsNewUser(shop.page);
  await shop.open(`/shop/${slug}`);
  await shop.page
    .getByRole("main")
    .getByRole("button", { name: /^Get access to / })
    .first()
    .click();
  await shop.purchase.option(option).check();
  return user;
}

/** Opens the dialog by the window event that any part of the page may send. */
export async function openByEvent(shop: ShopPage, name: string): Promise<void> {
  await shop.page.evaluate((tool) => {
    window.dispatchEvent(new CustomEvent("openPaymentModal", { detail: { name: tool, price: 1 } }));
  }, name);
  await expect(shop.purchase.root).toBeVisible();
}
