import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { DashboardStatistics } from "#core/reports/read-dashboard.server.ts";
import { StatisticsStrip } from "./dashboard-screen.tsx";

const statistics: DashboardStatistics = {
  totalUsers: 1234,
  activeUsers: 1200,
  totalPurchases: 310,
  totalRevenuePaise: 14_990_050,
  totalTools: 12,
  activeTools: 11,
  renewableInMs: null,
};

test("the admin's dashboard shows six statistics under their names, with revenue in rupees and what the sums leave out", () => {
  const html = renderToStaticMarkup(<StatisticsStrip statistics={statistics} />);
  expect([...html.matchAll(/>([^<]+)</g)].map(([, text]) => text)).toEqual([
    ...["Total Users", "1,234"],
    ...["Active Users", "1,200"],
    ...["Total Purchases", "310", "Completed, including ended ones"],
    ...["Total Revenue", "₹1,49,900.50", "Test payments are not counted"],
    ...["Total Tools", "12"],
    ...["Active Tools", "11"],
  ]);
});
