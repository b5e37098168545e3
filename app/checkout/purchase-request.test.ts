import { expect, test } from "vitest";
import { parseRequestedTool } from "./purchase-request.ts";

test.each([
  [
    { name: "Canva", price: 119 },
    { name: "Canva", price: 119 },
  ],
  [
    { name: " Canva ", price: 119, slug: "canva" },
    { name: "Canva", price: 119, slug: "canva" },
  ],
  [
    { name: "Canva", price: "119", slug: "" },
    { name: "Canva", price: 0 },
  ],
  [{ tool: { name: "Canva", price: 119, slug: "canva" } }, { name: "Canva", price: 119, slug: "canva" }],
  [
    { tool: null, name: "Canva", price: 119 },
    { name: "Canva", price: 119 },
  ],
  [{ tool: { price: 119 } }, null],
  [{ tool: "Canva" }, null],
  [{ name: "  " }, null],
  [{ price: 119 }, null],
  [null, null],
  ["Canva", null],
])("the event detail %o is parsed as %o", (detail, expected) => {
  expect(parseRequestedTool(detail)).toEqual(expected);
});
