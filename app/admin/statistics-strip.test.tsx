import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { type Payments, StatisticsStrip } from "./statistics-strip.tsx";

const statistics = {
  totalUsers: 1234,
  activeUsers: 1200,
  totalPurchases: 310,
  totalRevenue: 14_990_050,
  totalTools: 12,
  activeTools: 11,
};

/** The strip's words in order. */
const wordsOf = (payments: Payments) =>
  [
    ...renderToStaticMarkup(<StatisticsStrip statistics={statistics} payments={payments} />).matchAll(
      />([^<]+)</g,
    ),
  ].map(([, words]) => words);

const SIX = [
  ["Total Users", "1,234"],
  ["Active Users", "1,200"],
  ["Total Purchases", "310"],
  ["Total Revenue", "₹1,49,900.50"],
  ["Total Tools", "12"],
  ["Active Tools", "11"],
];

test("six figures under their names, revenue in rupees", () => {
  expect(wordsOf("live")).toEqual(SIX.flat());
});

test("in test mode the revenue says what it leaves out", () => {
  const words = wordsOf("test");
  expect(words).toContain("Test payments are not counted");
  expect(words.indexOf("Test payments are not counted")).toBe(words.indexOf("₹1,49,900.50") + 1);
});
