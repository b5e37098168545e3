import { expect, test } from "vitest";
import { formatPricePerDay, savingPercent } from "./pricing.ts";

const option = (validityDays: number, pricePaise: number) => ({ validityDays, pricePaise });

test.each([
  [7, 3900, "₹5.57"],
  [30, 9900, "₹3.30"],
  [7, 4900, "₹7"],
  [10, 9960, "₹9.96"],
  [7, 14_900, "₹21.29"],
  [30, 1_49_900, "₹49.97"],
  [2, 3_00_000, "₹1,500"],
  [30, 300, "₹0.10"],
])("a price for %i days of %i paise is %s a day", (days, paise, text) => {
  expect(formatPricePerDay(option(days, paise))).toBe(text);
});

test("a single day, and a price that rounds to nothing, have no price per day", () => {
  expect(formatPricePerDay(option(1, 4900))).toBeNull();
  expect(formatPricePerDay(option(365, 100))).toBeNull();
});

test.each([
  [option(30, 9900), 40],
  [option(90, 26_900), 46],
  [option(7, 3900), null],
  [option(14, 7800), null],
  [option(14, 9000), null],
  [option(14, 7411), null],
  [option(14, 7410), 5],
])("the option %o saves %s percent a day beside 7 days for ₹39", (longer, percent) => {
  expect(savingPercent(longer, [option(7, 3900), longer])).toBe(percent);
});

test("the saving is counted from the cheapest of several shortest options, and from no free one", () => {
  const month = option(30, 10_000);
  expect(savingPercent(month, [option(10, 10_000), option(10, 4000), month])).toBe(16);
  expect(savingPercent(month, [option(10, 0), month])).toBeNull();
  expect(savingPercent(month, [month])).toBeNull();
});
