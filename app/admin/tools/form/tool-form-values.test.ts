import { expect, test } from "vitest";
import type { ListedTool } from "#core/catalog/list-tools-for-admin.server.ts";
import { createToolSchema } from "#core/catalog/tool-editing/schemas.ts";
import type { PricingOption } from "#db/tables/catalog.ts";
import { describeSaving, labelFor, NEW_TOOL, toFieldErrors } from "./tool-form-values.ts";

test("a new tool has the defaults of the requirements", () => {
  expect(NEW_TOOL).toMatchObject({
    name: "",
    description: "",
    availableStock: "0",
    isActive: true,
    prices: [{ validityDays: "12", price: "0", originalPrice: "" }],
    features: [],
  });
  const { pageToolIds, servers, prices, ...sent } = NEW_TOOL;
  expect(
    createToolSchema.safeParse({ ...sent, ...prices[0], name: "A", description: "B" }).data,
  ).toMatchObject({
    pricePaise: 0,
    originalPricePaise: null,
    validityDays: 12,
    pricingOptions: [],
    availableStock: 0,
    isActive: true,
    category: "other",
    badge: null,
    launchUrl: null,
    credentialService: null,
  });
});

test("the errors of a list in the tool form are its own and its entries' errors, each once", () => {
  const errors = toFieldErrors({
    name: ["a"],
    "servers[0].url": ["b"],
    "servers[1].url": ["b"],
    servers: ["c"],
  });
  expect(errors.at("name")).toEqual(["a"]);
  expect(errors.under("servers")).toEqual(["b", "c"]);
  expect(errors.under("server")).toEqual([]);
});

test("a price keeps a label of its own while its days stay the same", () => {
  const month = { label: "One month", validityDays: "30", price: "149", originalPrice: "" };
  expect(labelFor(month, "30")).toBe("One month");
  expect(labelFor(month, "60")).toBe("");
  expect(labelFor({ ...month, label: "30 Days" }, "30")).toBe("");
});

const option = (days: number, rupees: number, label = `${days} Days`): PricingOption => ({
  label,
  validityDays: days,
  pricePaise: rupees * 100,
  originalPricePaise: null,
});

const stored = (rupees: number, validityDays: number, pricingOptions: PricingOption[]) =>
  ({ pricePaise: rupees * 100, validityDays, pricingOptions }) as ListedTool;

test.each([
  ["a single price", stored(150, 30, []), null],
  ["options with the cheapest as its own price", stored(49, 7, [option(7, 49), option(30, 119)]), null],
  [
    "a price that is no option",
    stored(150, 30, [option(7, 49), option(30, 119)]),
    "The price of ₹150 for 30 days is not sold today. Saving removes it, unless you add it below. Passes that you assign then last 7 days instead of 30 days, as the cheapest price does.",
  ],
  [
    "an option that is not the cheapest as its own price",
    stored(119, 30, [option(7, 49), option(30, 119)]),
    "Passes that you assign then last 7 days instead of 30 days, as the cheapest price does.",
  ],
  [
    "one option with a label of its own",
    stored(119, 30, [option(30, 119, "One month")]),
    "Saving removes the label “One month”, because only one of several prices has one.",
  ],
  ["one option that is named by its days", stored(119, 30, [option(30, 119)]), null],
])("the form says what saving changes of a tool with %s", (_what, tool, text) => {
  expect(describeSaving(tool)).toBe(text);
});
