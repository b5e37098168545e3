import { expect, test } from "vitest";
import { buyingOptions, chooseOption, isNamedByDays, type PricedTool, quotePrice } from "./pricing.ts";

const week = { label: "7 Days", validityDays: 7, pricePaise: 4900, originalPricePaise: null };
const month = { label: "30 Days", validityDays: 30, pricePaise: 14900, originalPricePaise: 49900 };
const single: PricedTool = {
  pricePaise: 9900,
  originalPricePaise: 19900,
  validityDays: 30,
  pricingOptions: [],
};
const several: PricedTool = { ...single, pricePaise: 14900, pricingOptions: [week, month] };

test("a tool without options has one option with its own price and validity", () => {
  expect(buyingOptions(single)).toEqual([
    { label: "30 Days", validityDays: 30, pricePaise: 9900, originalPricePaise: 19900 },
  ]);
  expect(buyingOptions({ ...single, validityDays: 1 })[0]?.label).toBe("1 Day");
});

test("a label selects its option, and an unknown label selects none", () => {
  expect(chooseOption(several, "7 Days")).toEqual(week);
  expect(chooseOption(several, "90 Days")).toBeNull();
  expect(chooseOption(single, "30 Days")?.pricePaise).toBe(9900);
});

test("the option at the tool's price is selected without a label, or else the cheapest", () => {
  expect(chooseOption(several, null)).toEqual(month);
  expect(chooseOption({ ...several, pricePaise: 1 }, null)).toEqual(week);
});

test.each([
  { list: 14_900, percent: null, discount: 0, charged: 14_900, raised: false },
  { list: 14_900, percent: 20, discount: 2_980, charged: 11_920, raised: false },
  // Half a paisa is rounded up, into the discount.
  { list: 14_950, percent: 15, discount: 2_243, charged: 12_707, raised: false },
  { list: 9_900, percent: 100, discount: 9_900, charged: 0, raised: false },
  { list: 9_900, percent: 99, discount: 9_801, charged: 100, raised: true },
  { list: 10_000, percent: 99, discount: 9_900, charged: 100, raised: false },
  { list: 50, percent: null, discount: 0, charged: 100, raised: true },
  { list: 0, percent: 50, discount: 0, charged: 0, raised: false },
])("$list paise with $percent % off are charged $charged", ({ list, percent, discount, charged, raised }) => {
  expect(quotePrice(list, percent)).toEqual({
    listPricePaise: list,
    discountPaise: discount,
    chargedPaise: charged,
    raisedToMinimum: raised,
  });
});

test("an option is named by its days, or has a name of its own", () => {
  expect(isNamedByDays({ validityDays: 30, optionLabel: "30 Days" })).toBe(true);
  expect(isNamedByDays({ validityDays: 30, optionLabel: null })).toBe(true);
  expect(isNamedByDays({ validityDays: 30, optionLabel: "Student" })).toBe(false);
});
