import { expect, test } from "vitest";
import type { WorksOn } from "#db/tables/catalog.ts";
import { isForComputers, placeLabel, remarkablePlaces } from "./rules.ts";

test.each<[WorksOn[], { forComputers: boolean; labels: string[]; remark: string | null }]>([
  [
    ["laptop", "extension"],
    { forComputers: true, labels: ["Laptop", "Needs extension"], remark: "Computer only · Needs extension" },
  ],
  [["laptop"], { forComputers: true, labels: ["Laptop"], remark: "Computer only" }],
  [
    ["extension"],
    { forComputers: true, labels: ["Needs extension"], remark: "Computer only · Needs extension" },
  ],
  [["phone", "laptop"], { forComputers: false, labels: ["Phone", "Laptop"], remark: null }],
  [["phone"], { forComputers: false, labels: ["Phone"], remark: null }],
  [
    ["phone", "laptop", "extension"],
    {
      forComputers: false,
      labels: ["Phone", "Laptop", "Extension on computers"],
      remark: "Extension on computers",
    },
  ],
  [
    ["phone", "extension"],
    { forComputers: false, labels: ["Phone", "Extension on computers"], remark: "Extension on computers" },
  ],
  [[], { forComputers: false, labels: [], remark: null }],
])("a tool that works on %j: %j", (places, { forComputers, labels, remark }) => {
  expect(isForComputers(places)).toBe(forComputers);
  expect(places.map((place) => placeLabel(place, places))).toEqual(labels);
  expect(remarkablePlaces(places).join(" · ") || null).toBe(remark);
});
