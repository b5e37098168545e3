import { becomeUser } from "./people.ts";
import type { ShopPage } from "./shop-page.ts";

/** Somebody new before the bill of a tool, with an option chosen. */
export async function openBill(shop: ShopPage, tool: string, option: string): Promise<{ email: string }> {
  const person = await becomeUser(shop.page);
  await shop.open("/");
  await shop.openPurchase(tool);
  await shop.purchase.option(option).check();
  return person;
}
