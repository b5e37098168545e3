import { renderToStaticMarkup } from "react-dom/server";
import { MemoryRouter } from "react-router";
import { expect, test } from "vitest";
import { AdminNavigation } from "./admin-tabs.tsx";

const tabCounts = {
  users: 10_001,
  tools: 12,
  accessCodes: 0,
  purchases: 10_000,
  coupons: 9_999,
  credentials: 1,
};

const render = (path: string, attention = 0) =>
  renderToStaticMarkup(
    <MemoryRouter initialEntries={[path]}>
      <AdminNavigation tabCounts={tabCounts} attention={attention} />
    </MemoryRouter>,
  );

test("a tab shows its exact count up to 10,000, and 10,000+ for more", () => {
  const counts = [...render("/admin").matchAll(/\(([^)]*)\)<\/span>/g)].map(([, count]) => count);
  expect(counts).toEqual(["10,000+", "12", "0", "10,000", "9,999", "1"]);
});

test("the link to the overview says how many lines need attention, and nothing while there are none", () => {
  expect(render("/admin", 3)).toMatch(/>3<\/span><[^>]*> need attention</);
  expect(render("/admin", 1)).toMatch(/>1<\/span><[^>]*> needs attention</);
  expect(render("/admin")).not.toContain("attention");
});

test.each([
  ["/admin", 'aria-selected="true"', "Users Management"],
  ["/admin/tools/", 'aria-selected="true"', "Tools Management"],
  ["/admin/overview", 'aria-current="page"', "Overview"],
  ["/admin/health", 'aria-current="page"', "Health"],
])("one link of the navigation is marked at %s", (path, mark, label) => {
  const marked = [...render(path).matchAll(/<a [^>]*border-marigold[^>]*><span>([^<]*)</g)];
  expect(marked.map(([, text]) => text)).toEqual([label]);
  expect(marked[0]?.[0]).toContain(mark);
});
