import { renderToStaticMarkup } from "react-dom/server";
import { MemoryRouter } from "react-router";
import { expect, test } from "vitest";
import { AdminTabs } from "./admin-tabs.tsx";

test("a tab shows its exact count up to 10,000, and 10,000+ for more", () => {
  const tabCounts = {
    users: 10_001,
    tools: 12,
    accessCodes: 0,
    purchases: 10_000,
    coupons: 9_999,
    credentials: 1,
  };
  const html = renderToStaticMarkup(
    <MemoryRouter initialEntries={["/admin"]}>
      <AdminTabs tabCounts={tabCounts} />
    </MemoryRouter>,
  );
  expect([...html.matchAll(/\(([^)]*)\)<\/span>/g)].map(([, count]) => count)).toEqual([
    "10,000+",
    "12",
    "0",
    "10,000",
    "9,999",
    "1",
  ]);
});
