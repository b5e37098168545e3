import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { PaymentMode } from "#core/reports/go-live-checklist.ts";
import { StatisticsStrip } from "./statistics-strip.tsx";

const statistics = {
  totalUsers: 1234,
  activeUsers: 1200,
  totalPurchases: 310,
  totalRevenuePaise: 14_990_050,
  totalTools: 12,
  activeTools: 11,
};

/** The texts of the strip in order. */
const renderTexts = (paymentMode: PaymentMode) =>
  [
    ...renderToStaticMarkup(<StatisticsStrip statistics={statistics} paymentMode={paymentMode} />).matchAll(
      />([^<]+)</g,
    ),
  ].map(([, text]) => text);

const SIX = [
  ["Total Users", "1,234"],
  ["Active Users", "1,200"],
  ["Total Purchases", "310"],
  ["Total Revenue", "₹1,49,900.50"],
  ["Total Tools", "12"],
  ["Active Tools", "11"],
];

test("the strip shows six statistics under their names, with revenue in rupees", () => {
  expect(renderTexts("live")).toEqual(SIX.flat());
});

test("in test mode the revenue has the note that test payments are not counted", () => {
  const texts = renderTexts("test");
  expect(texts).toContain("Test payments are not counted");
  expect(texts.indexOf("Test payments are not counted")).toBe(texts.indexOf("₹1,49,900.50") + 1);
});
