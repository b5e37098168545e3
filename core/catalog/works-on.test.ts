import { expect, test } from "vitest";
import type { WorksOn } from "#db/tables/catalog.ts";
import { computerLabel, isForComputers } from "./works-on.ts";

test.each<[WorksOn[], boolean, string]>([
  [["laptop", "extension"], true, "Laptop · Needs extension"],
  [["laptop"], true, "Laptop only"],
  [["extension"], true, "Needs extension"],
  [["phone", "laptop"], false, "Phone · Laptop"],
  [["phone"], false, "Phone"],
  [[], false, ""],
])("a tool that works on %j is for computers: %j", (places, forComputers, label) => {
  expect(isForComputers(places)).toBe(forComputers);
  expect(computerLabel(places)).toBe(label);
});
