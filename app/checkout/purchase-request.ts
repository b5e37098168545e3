import type { WantedTool } from "./dialog/checkout-state.ts";

/** Reads the detail of an `openPaymentModal` event, `{ name, price, slug? }`; null when it names no tool. */
export function readWantedTool(detail: unknown): WantedTool | null {
  if (typeof detail !== "object" || detail === null) return null;
  const name = "name" in detail && typeof detail.name === "string" ? detail.name.trim() : "";
  if (name === "") return null;
  const price = "price" in detail && typeof detail.price === "number" ? detail.price : 0;
  const slug = "slug" in detail && typeof detail.slug === "string" ? detail.slug : "";
  return slug === "" ? { name, price } : { name, price, slug };
}
