import { expect, type Locator, type Page } from "@playwright/test";

/** Page object of the sign-in dialog with its four views. */
export class SignInDialog {
  readonly root: Locator;

  constructor(page: Page) {
    this.root = page.getByRole("dialog");
  }

  button(name: string): Locator {
    return this.root.getByRole("button", { name, exact: true });
  }

  /** The buttons of the first view, in their order. */
  get choices(): Locator {
    return this.root.getByRole("button", { name: /Google|Email|Account/ });
  }

  get email(): Locator {
    return this.root.getByLabel("Email");
  }

  get password(): Locator {
    return this.root.getByLabel("Password");
  }

  async fill(credentials: { email: string; password: string }): Promise<void> {
    await this.email.fill(credentials.email);
    await this.password.fill(credentials.password);
  }

  /** A choice in the sheet of a tool: a new account, or one that the visitor has. */
  choice(name: "New here" | "I have an account"): Locator {
    return this.root.getByRole("radio", { name, exact: true });
  }

  /** Signs in to an account in the sheet of a tool. */
  async signInInSheet(credentials: { email: string; password: string }): Promise<void> {
    await this.choice("I have an account").check();
    await this.fill(credentials);
    await this.button("Sign in with Email").click();
  }

  /** Creates an account in the sheet of a tool. */
  async createAccount(credentials: { email: string; password: string }): Promise<void> {
    await this.choice("New here").check();
    await this.fill(credentials);
    await this.button("Create an Account").click();
  }

  /** The account in the sheet of a tool. */
  async expectAccount(): Promise<void> {
    await expect(this.choice("New here")).toBeAttached();
    await expect(this.email).toBeVisible();
  }

  async expectView(title: "Welcome" | "Sign in" | "Create account" | "Reset password"): Promise<void> {
    await expect(this.root.getByRole("heading", { name: title, exact: true })).toBeVisible();
  }
}
