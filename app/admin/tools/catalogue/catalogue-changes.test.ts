import { expect, test } from "vitest";
import { linesOfValue } from "./catalogue-changes.tsx";

const lines = (field: string, value: unknown) => linesOfValue(field, value, "Asia/Kolkata");

test.each([
  ["pricePaise", 14_950, ["₹149.50"]],
  ["availableStock", 35, ["35"]],
  ["discountPercentage", 20, ["20%"]],
  ["isActive", true, ["Yes"]],
  ["contactOnly", false, ["No"]],
  ["badge", null, []],
  ["description", "", []],
  ["features", ["One", "Two"], ["One", "Two"]],
  ["features", [], []],
  ["worksOn", ["laptop", "extension"], ["Laptop", "Needs extension"]],
  ["expiresAt", "2026-11-21T20:00:00.000Z", ["22/11/26, 01:30"]],
  ["servers", [{ id: "a", name: "Mumbai", url: null }], ["Mumbai"]],
  ["servers", [{ id: "a", name: "Delhi", url: "https://d.example" }], ["Delhi: https://d.example"]],
  [
    "pricingOptions",
    [{ label: "A week", validityDays: 7, pricePaise: 4_900, originalPricePaise: 14_900 }],
    ["A week (7 Days): ₹49, was ₹149"],
  ],
  [
    "pricingOptions",
    [{ label: "30 Days", validityDays: 30, pricePaise: 4_900, originalPricePaise: null }],
    ["30 Days: ₹49"],
  ],
  ["claims", { rating: "4.9/5", users: null }, ["Rating: 4.9/5"]],
  [
    "translations",
    { hi: { name: "टूल", features: ["एक", "दो"], optionLabels: { 7: "हफ़्ता" } } },
    ["Hindi: Name: टूल", "Hindi: Features: एक · दो", "Hindi: Option labels: 7: हफ़्ता"],
  ],
])("a changed value of %s is shown as a person writes it: %o", (field, value, shown) => {
  expect(lines(field, value)).toEqual(shown);
});
