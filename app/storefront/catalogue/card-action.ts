import type { CatalogueCard } from "#core/catalog/list-active-tools.server.ts";

/** What pressing a tool's ticket does. The server decides again whatever the screen asks. */
export type CardAction = "none" | "contact" | "open" | "buy";

type Facts = Pick<CatalogueCard, "availableStock" | "contactOnly" | "category" | "pricePaise">;

/**
 * Out of stock: nothing. A VPN sold by chat only: the chat. Free: the tool itself. Everything else, also other tools
 * sold by chat: the purchase dialog, which knows how each is bought.
 */
export function cardAction({ availableStock, contactOnly, category, pricePaise }: Facts): CardAction {
  if (availableStock <= 0) return "none";
  if (contactOnly && category === "vpn") return "contact";
  if (pricePaise === 0) return "open";
  return "buy";
}
