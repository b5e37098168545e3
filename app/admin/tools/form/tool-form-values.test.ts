import { expect, test } from "vitest";
import { createToolSchema } from "#core/catalog/tool-editing/schemas.ts";
import { draftOf, NEW_OPTION, NEW_TOOL, readOption, toFieldErrors } from "./tool-form-values.ts";

test("a new tool has the defaults of the requirements", () => {
  expect(NEW_TOOL).toMatchObject({
    name: "",
    description: "",
    price: "0",
    availableStock: "0",
    isActive: true,
    validityDays: "12",
    originalPrice: "",
    features: [],
    pricingOptions: [],
  });
  const { pageToolIds, servers, ...sent } = NEW_TOOL;
  expect(createToolSchema.safeParse({ ...sent, name: "A", description: "B" }).data).toMatchObject({
    pricePaise: 0,
    originalPricePaise: null,
    validityDays: 12,
    availableStock: 0,
    isActive: true,
    category: "other",
    badge: null,
    launchUrl: null,
    credentialService: null,
  });
});

const read = (input: Partial<typeof NEW_OPTION>, others = [""]) =>
  readOption(
    { ...NEW_OPTION, ...input },
    others.map((validityDays) => ({ label: "", validityDays, price: "1", originalPrice: "" })),
  );

test.each([
  [{ price: "149" }, { label: "30 Days", validityDays: "30", price: "149", originalPrice: "" }],
  [
    { validityDays: "1", price: "9.5", originalPrice: "19" },
    { label: "1 Day", validityDays: "1", price: "9.5", originalPrice: "19" },
  ],
  // What is no number falls back.
  [
    { validityDays: "", price: "9", originalPrice: "x" },
    { label: "30 Days", validityDays: "30", price: "9", originalPrice: "" },
  ],
  [
    { validityDays: "7.9", price: "9.999" },
    { label: "7 Days", validityDays: "7", price: "10", originalPrice: "" },
  ],
])("the pricing option %o is added", (input, option) => {
  expect(read(input)).toEqual({ option });
});

test.each([
  [{}, "Enter a price above 0."],
  [{ price: "x" }, "Enter a price above 0."],
  [{ price: "-1" }, "Enter a price above 0."],
  [{ validityDays: "7", price: "0.40" }, "The price of the option for 7 Days must be at least 1 rupee."],
  [{ validityDays: "0", price: "9" }, "Enter a validity of at least 1 day."],
  [{ validityDays: "-3", price: "9" }, "Enter a validity of at least 1 day."],
  [{ price: "9", originalPrice: "8" }, "The original price must not be below the price."],
  [{ validityDays: "7", price: "9" }, "This tool already has an option for 7 Days."],
])("the pricing option %o is not added", (input, problem) => {
  expect(read(input, ["7"])).toEqual({ problem });
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

test("an edited pricing option keeps its label and may keep its validity, and takes a new label with a new validity", () => {
  const month = { label: "One month", validityDays: "30", price: "149", originalPrice: "" };
  const week = { label: "7 Days", validityDays: "7", price: "49", originalPrice: "" };
  const edit = (input: Partial<typeof NEW_OPTION>) =>
    readOption({ ...draftOf(month), ...input }, [month, week], month);
  expect(edit({ price: "129" })).toEqual({ option: { ...month, price: "129" } });
  expect(edit({ validityDays: "60" })).toEqual({
    option: { ...month, label: "60 Days", validityDays: "60" },
  });
  expect(edit({ validityDays: "7" })).toEqual({ problem: expect.stringContaining("7 Days") });
});
