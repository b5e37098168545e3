import { expect, test } from "vitest";
import { productData } from "./page-meta.ts";

const tool = {
  slug: "canva",
  name: "Canva",
  description: "Posters and slides.",
  category: "design",
  pricePaise: 4900,
  availableStock: 3,
};

test("a tool is a product with one offer for each option, in rupees", () => {
  const options = [
    { label: "7 Days", pricePaise: 4900 },
    { label: "30 Days", pricePaise: 12_950 },
  ];
  expect(productData("https://shop.example", tool, options)).toMatchObject({
    "@type": "Product",
    url: "https://shop.example/shop/canva",
    offers: [
      { name: "7 Days", price: "49.00", priceCurrency: "INR", availability: "https://schema.org/InStock" },
      { name: "30 Days", price: "129.50" },
    ],
  });
});

test("a tool without options and without stock has one offer that is out of stock", () => {
  expect(productData("https://shop.example", { ...tool, availableStock: 0 })).toMatchObject({
    offers: { price: "49.00", availability: "https://schema.org/OutOfStock" },
  });
});
