import fc from "fast-check";
import { expect, test } from "vitest";
import { formatPaise, parseRupees, percentOf } from "./money.ts";

test.each([
  [0, "₹0"],
  [100, "₹1"],
  [14900, "₹149"],
  [14950, "₹149.50"],
  [14905, "₹149.05"],
  [14990000, "₹1,49,900"],
])("an amount of %i paise is formatted as %s", (paise, text) => {
  expect(formatPaise(paise)).toBe(text);
});

test("an amount is grouped as Intl groups it in India, also when it is negative", () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e12, max: 1e12 }), (paise) => {
      const digits = paise % 100 === 0 ? 0 : 2;
      const intl = new Intl.NumberFormat("en-IN", {
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      });
      expect(formatPaise(paise)).toBe(`₹${intl.format(paise / 100)}`);
    }),
  );
});

test.each([
  [10000, 20, 2000],
  [14900, 33, 4917],
  [50, 1, 1],
  [49, 1, 0],
  [14950, 100, 14950],
])("a percentage is rounded half up: of %i paise, %i percent is %i", (paise, percent, expected) => {
  expect(percentOf(paise, percent)).toBe(expected);
});

test.each([
  ["149", 14900],
  [" 149.50 ", 14950],
  ["149.5", 14950],
  ["0", 0],
  ["₹1,49,900", 14990000],
  ["1,499.05", 149905],
  ["0.29", 29],
])("an amount in rupees %j is read as %i paise", (text, paise) => {
  expect(parseRupees(text)).toBe(paise);
});

test.each([
  "",
  "abc",
  "-1",
  "1.234",
  "1e3",
  "1 000",
  "12,34,5",
  "149.",
  "99999999999999999999",
])("an amount is not read from %j as rupees", (text) => {
  expect(parseRupees(text)).toBeNull();
});
