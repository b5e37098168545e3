import type { Executor } from "#db/database.ts";
import { readStoreSettingsIn } from "../catalog/store-settings.server.ts";
import type { Context } from "../context.ts";
import type { ShopFacts } from "./mail-templates.ts";

/** What every mail says about the shop. */
export async function readShopFacts(ctx: Context, executor: Executor): Promise<ShopFacts> {
  const { name, supportPhones, pages } = await readStoreSettingsIn(ctx, executor);
  const { origin } = ctx.store;
  return { name, origin, supportPhones, contactUrl: pages.includes("contact") ? `${origin}/contact` : null };
}
