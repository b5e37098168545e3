/**
 * The tool that somebody asked to buy. `slug` is preferred over `name`. `price` is a hint in rupees: the dialog shows
 * the price of the offer.
 */
export interface RequestedTool {
  slug?: string;
  name: string;
  price: number;
}

/** What `openPurchase` takes. `onSuccess` runs when the dialog closes itself after a purchase. */
export type PurchaseInput = RequestedTool & {
  /** The label of the pricing option that the buyer has chosen before. */
  option?: string;
  onSuccess?: () => void;
};

/** One request to buy. `opener` gets the focus back. */
export interface PurchaseRequest {
  id: number;
  tool: PurchaseInput;
  opener: Element | null;
}

/** Parses the detail of an `openPaymentModal` event, `{ name, price, slug? }`; null when it names no tool. */
export function parseRequestedTool(detail: unknown): RequestedTool | null {
  if (typeof detail !== "object" || detail === null) return null;
  const name = "name" in detail && typeof detail.name === "string" ? detail.name.trim() : "";
  if (name === "") return null;
  const price = "price" in detail && typeof detail.price === "number" ? detail.price : 0;
  const slug = "slug" in detail && typeof detail.slug === "string" ? detail.slug : "";
  return slug === "" ? { name, price } : { name, price, slug };
}
