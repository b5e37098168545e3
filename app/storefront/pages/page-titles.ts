import type { StorePage } from "#core/catalog/store-settings.server.ts";

/** The titles of the pages with the owner's own texts, by their address. */
export const PAGE_TITLES: Record<StorePage, string> = {
  terms: "Terms",
  refunds: "Refunds",
  privacy: "Privacy Policy",
  contact: "Contact",
};

export function isStorePage(name: string): name is StorePage {
  return Object.hasOwn(PAGE_TITLES, name);
}
