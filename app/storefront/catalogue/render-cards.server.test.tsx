import { expect, test } from "vitest";
import type { CatalogueCard } from "#core/catalog/list-active-tools.server.ts";
import { findRenderedCard, renderCards } from "./render-cards.server.tsx";

const shop = { chatNumber: "+919876543210", timeZone: "Asia/Kolkata" };
const tool: CatalogueCard = {
  ...{ slug: "canva", name: "Canva", description: "Design.", category: "design", badge: null },
  ...{ features: ["Templates"], worksOn: [], pricePaise: 4900, originalPricePaise: null, validityDays: 7 },
  ...{ hasOptions: false, optionDays: [7], availableStock: 9, contactOnly: false, isPopular: false },
};

/** The HTML of a card of the home page. */
function cardOf(changes: Partial<CatalogueCard> = {}, ownShop = shop): string {
  const changed = { ...tool, ...changes };
  renderCards([changed], ownShop);
  return findRenderedCard(changed) ?? "";
}

test("a card shows the price, the features and the stock, and links to the shop page", () => {
  const html = cardOf();
  for (const text of ["₹49", "Templates", "9 left", "Get access", 'href="/shop/canva"'])
    expect(html).toContain(text);
});

test("a card follows every change of its tool", () => {
  cardOf();
  expect(cardOf({ availableStock: 8 })).toContain("8 left");
  expect(cardOf({ availableStock: 0 })).toContain("Out of stock");
  expect(cardOf()).toContain("9 left");
});

test("a card follows a change of the chat number", () => {
  expect(cardOf({ contactOnly: true, category: "vpn" })).toContain("wa.me/919876543210");
  expect(cardOf({ contactOnly: true, category: "vpn" }, { ...shop, chatNumber: "+911111111111" })).toContain(
    "wa.me/911111111111",
  );
});

test("a tool whose card was not rendered has no HTML", () => {
  expect(findRenderedCard({ ...tool })).toBeUndefined();
});

test("a text of the owner cannot add elements to a card", () => {
  expect(cardOf({ name: "<script>x()</script>" })).not.toContain("<script>");
});
