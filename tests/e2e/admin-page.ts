import { expect } from "@playwright/test";
import type { ShopPage } from "./shop-page.ts";
import { ADMIN_PASSWORD } from "./shop-process.ts";

/** The address of the first admin in all tests. */
export const ADMIN_EMAIL = "admin@example.com";

export async function fillCredentials(
  shop: ShopPage,
  credentials: { email: string; password: string },
): Promise<void> {
  await shop.page.getByLabel("Email").fill(credentials.email);
  await shop.page.getByLabel("Password").fill(credentials.password);
}

export async function signInAsAdmin(shop: ShopPage): Promise<void> {
  await shop.open("/admin/login");
  await fillCredentials(shop, { email: ADMIN_EMAIL, password: ADMIN_PASSWORD });
  await shop.page.getByRole("button", { name: "Sign in as Admin" }).click();
  await expect(shop.heading("Admin Dashboard")).toBeVisible();
}
