import type { CatalogueCard } from "#core/catalog/on-sale.server.ts";
import { fetchFromShop } from "../connection/shop-api.ts";

/**
 * The tool that somebody asked to buy. `slug` is preferred over `name`. `price` is a hint in rupees: the dialog shows
 * the price of the offer.
 */
export interface RequestedTool {
  slug?: string;
  name: string;
  price: number;
  /** What the page shows of its prices, for the time until the offer is there. */
  known?: Pick<CatalogueCard, "description" | "pricePaise" | "validityDays" | "hasOptions" | "contactOnly">;
}

/** The discount once the page's check of a code from a link is answered; null when there is none, or no answer. */
export type LinkCouponCheck = Promise<number | null>;

/** What `openPurchase` takes. `onSuccess` runs when the dialog closes itself after a purchase. */
export type PurchaseInput = RequestedTool & {
  /** The label of the pricing option that the buyer has chosen before. */
  option?: string;
  /** A code from a link; with the discount, when the shop has accepted it already. */
  coupon?: { code: string; discountPercentage?: number; check?: LinkCouponCheck } | undefined;
  /** The buyer asks to renew the pass that they have. */
  renews?: true;
  onSuccess?: () => void;
};

/** One request to buy. `opener` gets the focus back. */
export interface PurchaseRequest {
  id: number;
  tool: PurchaseInput;
  opener: Element | null;
  /** The answer to the first request for the offer, which is made while the code of the dialog is being loaded. */
  offer?: Promise<Response>;
  /** A shell of the dialog is shown until its code is there. */
  hasShell: boolean;
}

/** Whether an opener can get the focus back: a window event may come without one, and the next page does not have it. */
export const canTakeFocus = (opener: Element | null | undefined): opener is HTMLElement =>
  opener instanceof HTMLElement && opener !== document.body && opener.isConnected;

/** Asks for the offer of a tool. */
export const fetchOffer = ({ slug, name }: RequestedTool, signal?: AbortSignal): Promise<Response> =>
  fetchFromShop(`/checkout/offer?${new URLSearchParams({ tool: slug ?? name })}`, signal && { signal });

/**
 * Parses the detail of an `openPaymentModal` event: a tool `{ name, price, slug? }`, or `{ tool }` with such a tool; null
 * when it names no tool.
 */
export function parseRequestedTool(detail: unknown): RequestedTool | null {
  if (typeof detail !== "object" || detail === null) return null;
  const tool = "tool" in detail && typeof detail.tool === "object" && detail.tool ? detail.tool : detail;
  const name = "name" in tool && typeof tool.name === "string" ? tool.name.trim() : "";
  if (name === "") return null;
  const price = "price" in tool && typeof tool.price === "number" ? tool.price : 0;
  const slug = "slug" in tool && typeof tool.slug === "string" ? tool.slug : "";
  return slug === "" ? { name, price } : { name, price, slug };
}
