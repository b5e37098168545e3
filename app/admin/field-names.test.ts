import { expect, test } from "vitest";
import { nameOfField } from "./field-names.ts";

test.each([
  ["pricePaise", "Price"],
  ["originalPricePaise", "Original price"],
  ["availableStock", "Stock"],
  ["description", "Description"],
  ["serverName", "Server name"],
  ["left-out", "Left out"],
  ["perUser", "Devices per buyer"],
  ["releasesPer30Days", "Releases in 30 days"],
  ["constructor", "Constructor"],
])("the field %s has the name that the forms of the admin use: %s", (field, name) => {
  expect(nameOfField(field)).toBe(name);
});
