import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { Overview } from "#core/reports/read-dashboard.server.ts";
import { SalesSummary } from "./sales-summary.tsx";

const none = { sales: 0, revenuePaise: 0 };
const overview: Overview = {
  at: new Date("2026-11-20T12:00:00Z"),
  today: none,
  last7Days: none,
  last30Days: none,
  days: [],
  cameFrom: [],
  revenueByHand: [],
  passesRunning: 0,
  testPayments: none,
  recentPurchases: [],
  toolsOnSale: 0,
  renewals: { months: [], all: [], tools: [] },
  lowStock: [],
  lowStockTotal: 0,
  withoutCode: [],
  withoutCredential: [],
  reportedCodes: [],
  codesAlike: [],
  backup: {
    readAt: new Date("2026-11-20T12:00:00Z"),
    state: null,
    startedAt: null,
    step: "writing",
    verified: null,
    failure: null,
    copy: null,
    isOverdue: false,
    isNightly: false,
    isEncrypted: false,
    folder: "",
    copiesTo: null,
  },
};

test("the sales name what was paid by hand, by its way, and nothing while there is none", () => {
  const render = (shown: Overview) =>
    renderToStaticMarkup(<SalesSummary overview={shown} paymentMode="live" />);
  expect(render(overview)).not.toContain("Paid by hand");
  const revenueByHand: Overview["revenueByHand"] = [
    { way: "upi", revenuePaise: 35_000 },
    { way: "bank-transfer", revenuePaise: 9_950 },
  ];
  expect(render({ ...overview, revenueByHand })).toContain(
    "Paid by hand, of the total revenue: UPI ₹350, Bank transfer ₹99.50",
  );
});
