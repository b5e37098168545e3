import { expect, test } from "vitest";
import { moreTextsOf, shortenTexts } from "./card-texts.ts";
import { searchTools } from "./search-tools.ts";

const tool = {
  slug: "canva",
  name: "Canva",
  description: "Posters from templates. Start from a layout. Keep a copy.",
  category: "design",
  badge: null,
  features: ["Photos", "Slides", "Resize", "Brand kit", "Video editor", "Download as PNG"],
  worksOn: [],
  pricePaise: 4_900,
  originalPricePaise: null,
  validityDays: 7,
  hasOptions: false,
  availableStock: 3,
  contactOnly: false,
  popularPlace: null,
};

test("a card has the first sentence and the first four features", () => {
  expect(shortenTexts(tool)).toEqual({
    ...tool,
    description: "Posters from templates.",
    features: ["Photos", "Slides", "Resize", "Brand kit"],
    moreFeatures: 2,
  });
  const short = { ...tool, description: "Posters", features: ["Photos"] };
  expect(shortenTexts(short)).toEqual({ ...short, moreFeatures: 0 });
});

test("each word of a tool is on its card or in its other texts, where the search finds it", () => {
  const card = shortenTexts(tool);
  const searched = { ...card, moreText: moreTextsOf([tool], new Map([["canva", "कैनवा"]]))[tool.slug] };
  for (const word of [tool.description, ...tool.features, "कैनवा"].join(" ").split(" "))
    expect(searchTools([searched], word), word).toHaveLength(1);
  expect(searchTools([card], "layout")).toHaveLength(0);
});
