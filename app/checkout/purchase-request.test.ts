import { expect, test } from "vitest";
import { readWantedTool } from "./purchase-request.ts";

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
  [{ name: "  " }, null],
  [{ price: 119 }, null],
  [null, null],
  ["Canva", null],
])("%o is read as %o", (detail, expected) => {
  expect(readWantedTool(detail)).toEqual(expected);
});
