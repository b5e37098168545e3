import { expect, test } from "vitest";
import { packTools, unpackTools } from "./packed-tools.ts";

test("packed tools are the same after they are unpacked", () => {
  const tool = {
    slug: "canva",
    name: "Canva",
    description: "Posters.",
    category: "design",
    badge: null,
    features: ["Templates"],
    worksOn: ["phone" as const],
    pricePaise: 4_900,
    originalPricePaise: null,
    validityDays: 7,
    hasOptions: false,
    availableStock: 3,
    contactOnly: false,
    popularPlace: 1,
    moreFeatures: 2,
  };
  const tools = [tool, { ...tool, slug: "netflix", badge: "Popular", popularPlace: null }];
  expect(unpackTools(packTools(tools))).toEqual(tools);
  expect(unpackTools(packTools([]))).toEqual([]);
});
