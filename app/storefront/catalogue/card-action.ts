import type { CatalogueCard } from "#core/catalog/list-active-tools.server.ts";

/** What a click on a tool's card does. The server checks the request again. */
export type CardAction = "none" | "contact" | "open" | "buy";

type CardTool = Pick<CatalogueCard, "availableStock" | "contactOnly" | "category" | "pricePaise">;

/**
 * Out of stock: nothing. A VPN that is sold in the chat only: the chat. Free: the tool's page. Everything else, also
 * other tools that are sold in the chat: the purchase dialog, which shows how each tool is bought.
 */
export function decideCardAction({
  availableStock,
  contactOnly,
  category,
  pricePaise,
}: CardTool): CardAction {
  if (availableStock <= 0) return "none";
  if (contactOnly && category === "vpn") return "contact";
  if (pricePaise === 0) return "open";
  return "buy";
}
