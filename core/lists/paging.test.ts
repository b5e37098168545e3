import { expect, test } from "vitest";
import { z } from "zod";
import { choice, type ListInput, lastPageOf, listFields } from "./paging.ts";
import { idRange } from "./select-page.server.ts";

const schema = z.object({ ...listFields(["createdAt", "name"]), kind: choice(["all", "one"]) });
const defaults = { q: "", page: 1, sort: "createdAt", direction: "desc", row: null, kind: "all" };

test("the input of a list is everything that an address says, as text", () => {
  const row = "019a0000-1111-7222-8333-444455556666";
  const input = { q: "  asha ", page: "7", sort: "name", direction: "asc", row, kind: "one" };
  expect(schema.parse(input)).toEqual({ ...input, q: "asha", page: 7 });
});

test.each<ListInput>([
  {},
  { q: undefined, page: null, sort: 1, direction: "DESC", kind: "two" },
  { page: "0" },
  { page: "1.5" },
  { page: "NaN" },
  { page: "Infinity" },
  { q: "\0 " },
  { q: ["a"] },
  { row: "019a0000' or 1=1" },
  { constructor: "x" },
])("the input of a list takes the default for what is unknown: %o", (input) => {
  expect(schema.parse(input)).toEqual(defaults);
});

test("the input of a list has at most 200 pages and 500 characters", () => {
  expect(schema.parse({ page: "201", q: "x".repeat(900) })).toMatchObject({
    page: 200,
    q: "x".repeat(500),
  });
});

test("the last page of a list has the last row, and is the 200th at most", () => {
  expect([0, 1, 50, 51, 10_000, 10_001].map(lastPageOf)).toEqual([1, 1, 1, 2, 200, 200]);
});

test("eight or more digits are the beginning of an id", () => {
  expect(idRange("019A0000")).toEqual({
    from: "019a0000-0000-0000-0000-000000000000",
    to: "019a0000-ffff-ffff-ffff-ffffffffffff",
  });
  const id = "019a0000-1111-7222-8333-444455556666";
  expect(idRange(id)).toEqual({ from: id, to: id });
  expect(idRange(id.replaceAll("-", ""))).toEqual({ from: id, to: id });
  for (const text of ["019a000", "chatgpt-plus", `${id}7`, "019a0000x", ""]) expect(idRange(text)).toBeNull();
});
