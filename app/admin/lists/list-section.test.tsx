import { renderToStaticMarkup } from "react-dom/server";
import { createMemoryRouter, RouterProvider } from "react-router";
import { expect, test } from "vitest";
import { ListSection } from "./list-section.tsx";

/** The list at an address with this search, and its rows or none. */
function render(q: string, rows: { id: string }[], isPartial = false): string {
  const list = { rows, page: 1, pageSize: 50, total: rows.length, totalIsExact: true, isPartial };
  const element = (
    <ListSection list={list} empty={{ title: "Nothing found", text: "Try another one." }}>
      <p>The rows</p>
    </ListSection>
  );
  const at = `/?${new URLSearchParams({ q })}`;
  const router = createMemoryRouter([{ path: "/", element }], { initialEntries: [at] });
  return renderToStaticMarkup(<RouterProvider router={router} />);
}

test.each([
  ["\u200b\u2060", "This search has only characters that nobody sees."],
  ["x".repeat(501), "A search has at most 500 characters."],
])("a search of a list that cannot be done says why in place of rows: %#", (q, reason) => {
  const html = render(q, [{ id: "1" }]);
  expect(html).toContain(reason);
  expect(html).not.toContain("The rows");
});

test("a short search of a list that finds nothing says what it looks for, and a longer one does not", () => {
  const note = "One or two letters find only words that begin with them.";
  expect(render("ab", [])).toContain(note);
  expect(render("abc", [])).not.toContain(note);
  expect(render("ab", [{ id: "1" }])).not.toContain(note);
  expect(render("", [{ id: "1" }])).toContain("The rows");
});

test("a list whose search matches too much says that rows are missing", () => {
  const note = "so some rows are missing";
  expect(render("gmail", [{ id: "1" }], true)).toContain(note);
  expect(render("gmail", [{ id: "1" }])).not.toContain(note);
});
