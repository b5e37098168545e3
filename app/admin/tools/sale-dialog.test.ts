import { expect, test } from "vitest";
import { saleAfterReady } from "./sale-dialog.tsx";

const sold = { isActive: true, availableStock: 3, stockFromCodes: false };

test.each([
  [sold, "it is sold."],
  [{ ...sold, availableStock: 0 }, "raise its stock, which is 0: until then it shows as out of stock."],
  // The code that makes it ready is its stock.
  [{ ...sold, availableStock: 0, stockFromCodes: true }, "it is sold."],
  [{ ...sold, isActive: false, availableStock: 0 }, "activate it to sell it."],
])("a tool is said to go on sale by itself only when nothing else is missing: %o", (tool, text) => {
  expect(saleAfterReady(tool, "it is sold.")).toBe(text);
});
