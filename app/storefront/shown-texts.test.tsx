import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, beforeAll, expect, test } from "vitest";
import hindi from "#languages/hi/screens.json" with { type: "json" };
import { optionLabel } from "../time/time-texts.ts";
import { addCatalogue, followLanguage } from "../ui/texts/texts.ts";
import { categoryLabel } from "./catalogue/catalogue-params.ts";
import { ToolCardPrice } from "./catalogue/tool-card.tsx";
import { placesText } from "./offer/works-on.tsx";
import { describeSeller } from "./site-footer.tsx";

beforeAll(() => addCatalogue("hi", hindi));
afterEach(() => followLanguage(() => "en"));
const inBoth = (make: () => unknown) =>
  (["en", "hi"] as const).map((language) => {
    followLanguage(() => language);
    return make();
  });

test.each([
  [
    { name: "Asha Digital", city: "Pune", since: 2021, gstin: "27ABCDE1234F1Z5" },
    "Sold by Asha Digital, Pune, since 2021. GSTIN 27ABCDE1234F1Z5.",
    "विक्रेता: Asha Digital, Pune, 2021 से। GSTIN 27ABCDE1234F1Z5।",
  ],
  [{ name: "Asha Digital" }, "Sold by Asha Digital.", "विक्रेता: Asha Digital।"],
])("the page of the shop says in both languages who sells: %j", (seller, english, inHindi) => {
  expect(inBoth(() => describeSeller(seller))).toEqual([english, inHindi]);
});

test("a card says in both languages where a tool works, unless it works everywhere", () => {
  expect(inBoth(() => placesText(["laptop", "extension"]))).toEqual([
    "Computer only · Needs extension",
    "सिर्फ़ कंप्यूटर पर · एक्सटेंशन ज़रूरी",
  ]);
  expect(inBoth(() => placesText(["phone", "laptop"]))).toEqual([null, null]);
});

test("a category of the demo catalogue has a name in both languages, and a category of the owner stays as it is", () => {
  expect(inBoth(() => ["streaming", "vpn", "cricket"].map(categoryLabel))).toEqual([
    ["Streaming", "VPN", "Cricket"],
    ["स्ट्रीमिंग", "VPN", "Cricket"],
  ]);
});

test("an option without a label of the owner is named by its days in both languages", () => {
  const labels = () =>
    [
      { label: "1 Day", validityDays: 1 },
      { label: "30 Days", validityDays: 30 },
      { label: "Full month", validityDays: 30 },
    ].map(optionLabel);
  expect(inBoth(labels)).toEqual([
    ["1 Day", "30 Days", "Full month"],
    ["1 दिन", "30 दिन", "Full month"],
  ]);
});

test("the price of a tool with several options is the lowest one, in both languages", () => {
  const tool = { pricePaise: 4900, originalPricePaise: null, validityDays: 7, hasOptions: true };
  const texts = inBoth(() => renderToStaticMarkup(<ToolCardPrice tool={tool} />).replaceAll(/<[^>]+>/g, "|"));
  expect(texts).toEqual([
    expect.stringMatching(/\|from \|+₹49\|.*\|7 days\|/),
    expect.stringMatching(/\|₹49\|+ से शुरू\|.*\|7 दिन\|/),
  ]);
});
