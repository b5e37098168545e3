import type { ListedPurchase } from "#core/passes/list-purchases.server.ts";

/** How a purchase came about. */
export const SOURCE_NAMES: Record<ListedPurchase["source"], string> = {
  checkout: "Bought",
  admin: "Assigned",
  giveaway: "Giveaway",
  import: "Imported",
};
