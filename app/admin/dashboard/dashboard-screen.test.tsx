import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { PaymentMode } from "#core/reports/go-live-checklist.ts";
import type { DashboardStatistics } from "#core/reports/read-dashboard.server.ts";
import { StatisticsStrip } from "./dashboard-screen.tsx";

const statistics: DashboardStatistics = {
  totalUsers: 1234,
  activeUsers: 1200,
  totalPurchases: 310,
  totalRevenuePaise: 14_990_050,
  revenueByHand: [],
  totalTools: 12,
  activeTools: 11,
};

const render = (paymentMode: PaymentMode, shown = statistics) =>
  renderToStaticMarkup(<StatisticsStrip statistics={shown} paymentMode={paymentMode} />);

/** The texts of the strip in order. */
const renderTexts = (paymentMode: PaymentMode, shown = statistics) =>
  [...render(paymentMode, shown).matchAll(/>([^<]+)</g)].map(([, text]) => text);

const SIX = [
  ["Total Users", "1,234"],
  ["Active Users", "1,200"],
  ["Total Purchases", "310", "Completed, including ended ones"],
  ["Total Revenue", "₹1,49,900.50"],
  ["Total Tools", "12"],
  ["Active Tools", "11"],
];

test("the admin's dashboard shows six statistics under their names, with revenue in rupees", () => {
  expect(renderTexts("live")).toEqual([...SIX.flat(), "Purchases: completed, including ended ones."]);
});

test("the revenue in test mode has the note that test payments are not counted", () => {
  const texts = renderTexts("test");
  expect(texts).toContain("Test payments are not counted");
  expect(texts.indexOf("Test payments are not counted")).toBe(texts.indexOf("₹1,49,900.50") + 1);
});

test("the revenue has a note of what was paid by hand, by its way", () => {
  const shown: DashboardStatistics = {
    ...statistics,
    revenueByHand: [
      { way: "upi", revenuePaise: 35_000 },
      { way: "bank-transfer", revenuePaise: 9_950 },
    ],
  };
  expect(renderTexts("live", shown)).toContain("Paid by hand: UPI ₹350, Bank transfer ₹99.50");
});

test.each([
  [51_19_938_00, "₹51,19,938", "sm:text-lg"],
  [51_19_938_50, "₹51,19,938.50", "sm:text-base"],
  [99_99_99_999_50, "₹99,99,99,999.50", "sm:text-xs"],
])("a long amount in the statistics is smaller and never breaks: %d paise", (totalRevenuePaise, text, size) => {
  const html = render("live", { ...statistics, totalRevenuePaise });
  const [, classes = ""] = new RegExp(`class="([^"]*)">${text}<`).exec(html) ?? [];
  expect(classes.split(" ")).toEqual(expect.arrayContaining(["whitespace-nowrap", size]));
});
