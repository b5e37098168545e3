import { expect, type Locator, type Page } from "@playwright/test";
import { PurchaseDialog } from "./purchase-dialog.ts";
import { SignInDialog } from "./sign-in-dialog.ts";

/** The shop as a person meets it: by the names and roles on the screen. */
export class ShopPage {
  readonly page: Page;
  readonly signIn: SignInDialog;
  readonly purchase: PurchaseDialog;

  constructor(page: Page) {
    this.page = page;
    this.signIn = new SignInDialog(page);
    this.purchase = new PurchaseDialog(page);
  }

  /** Goes to an address and waits until the page answers to presses. */
  async open(path: string): Promise<void> {
    await this.page.goto(path);
    await this.untilAlive();
  }

  async reload(): Promise<void> {
    await this.page.reload();
    await this.untilAlive();
  }

  /** Presses before that would meet plain HTML: the buttons are there, but nothing listens yet. */
  async untilAlive(): Promise<void> {
    await this.page.waitForFunction(() =>
      Object.keys(document.querySelector("main") ?? {}).some((key) => key.startsWith("__reactProps")),
    );
  }

  get cards(): Locator {
    return this.page.getByRole("listitem").filter({ has: this.page.getByRole("heading", { level: 3 }) });
  }

  card(tool: string): Locator {
    return this.cards.filter({ has: this.page.getByRole("heading", { name: tool, exact: true }) });
  }

  /** Presses the card of a tool that can be bought. */
  async choose(tool: string): Promise<void> {
    await this.page.getByRole("button", { name: `Get access to ${tool}`, exact: true }).click();
  }

  async openPurchase(tool: string): Promise<void> {
    await this.choose(tool);
    await expect(this.purchase.root).toBeVisible();
  }

  get accountNav(): Locator {
    return this.page.getByRole("navigation", { name: "Account" });
  }

  /** A running pass on the dashboard. */
  pass(tool: string): Locator {
    return this.page
      .getByRole("listitem")
      .filter({ has: this.page.getByRole("heading", { name: tool, exact: true, level: 2 }) });
  }

  /** A server's row on a tool's page. */
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
