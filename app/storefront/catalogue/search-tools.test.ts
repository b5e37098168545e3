import { afterEach, expect, test } from "vitest";
import hindi from "#languages/hi/screens.json" with { type: "json" };
import { addCatalogue, followLanguage } from "../../ui/texts/texts.ts";
import { nearestTools, searchTools } from "./search-tools.ts";

const tools = [
  { name: "QuillBot", description: "Rewrites text.", category: "writing", features: ["Citation generator"] },
  { name: "Canva", description: "Posters and slides.", category: "design", features: ["Brand kit"] },
];
const found = (query: string) => searchTools(tools, query).map((tool) => tool.name);

test("a blank query returns all tools in their order", () => {
  expect(found("  ")).toEqual(["QuillBot", "Canva"]);
});

test("the search finds signs and emoji, and nothing where there are none", () => {
  const signed = [{ name: "Art 🎨", description: "C++", category: "design", features: [] }, ...tools];
  expect(searchTools(signed, "🎨").map(({ name }) => name)).toEqual(["Art 🎨"]);
  expect(searchTools(signed, "++").map(({ name }) => name)).toEqual(["Art 🎨"]);
  expect(found("🎨")).toEqual([]);
});

test("the search ignores case and covers every text of a tool", () => {
  expect(found("CANVA")).toEqual(["Canva"]);
  expect(found("citation")).toEqual(["QuillBot"]);
  expect(found("design")).toEqual(["Canva"]);
});

test("tools whose name has the first word come first, the others keep their order", () => {
  const named = (name: string, ...features: string[]) => ({
    name,
    description: "",
    category: "writing",
    features,
  });
  const shop = [
    named("Grammar Checker", "American spelling"),
    named("Scanner"),
    named("Canva"),
    named("My Can"),
  ];
  expect(searchTools(shop, "can").map(({ name }) => name)).toEqual([
    "Canva",
    "My Can",
    "Grammar Checker",
    "Scanner",
  ]);
});

test("a tool is found only by a query whose every word it contains", () => {
  expect(found("canva slides")).toEqual(["Canva"]);
  expect(found("canva citation")).toEqual([]);
});

const catalogue = [
  { name: "Premium Netflix Access", description: "Ultra HD.", category: "streaming", features: [] },
  { name: "Canva", description: "Posters and slides.", category: "design", features: ["Brand kit"] },
  { name: "Surfshark VPN", description: "Private browsing.", category: "vpn", features: [] },
];
const inCatalogue = (query: string) => searchTools(catalogue, query).map((tool) => tool.name);

test.each([
  ["a missing letter", "netflx", "Premium Netflix Access"],
  ["an added letter", "cannva", "Canva"],
  ["a wrong letter", "surfshakk", "Surfshark VPN"],
  ["two letters in the wrong order", "netlfix", "Premium Netflix Access"],
  ["a mistake in the beginning of a word", "surfhs", "Surfshark VPN"],
])("%s in a word does not hide the tool", (_mistake, query, tool) => {
  expect(inCatalogue(query)).toEqual([tool]);
});

test.each([
  "netflixpremium",
  "premiumnetfl",
  "netflixmovies",
])("the words of a tool match without the space between them, as in %s", (query) => {
  expect(inCatalogue(query)).toEqual(["Premium Netflix Access"]);
});

test("a word that only begins or ends like a word of a tool does not match", () => {
  expect(inCatalogue("netflixcalculator")).toEqual([]);
  expect(inCatalogue("calculatornetflix")).toEqual([]);
});

test("a tool is found by the usual words for its category", () => {
  expect(inCatalogue("movies")).toEqual(["Premium Netflix Access"]);
  expect(inCatalogue("privacy")).toEqual(["Surfshark VPN"]);
});

afterEach(() => followLanguage(() => "en"));

test("a tool is found by the name of its category in Hindi, and by a word of Hindi with a typing mistake", () => {
  addCatalogue("hi", hindi);
  followLanguage(() => "hi");
  expect(inCatalogue("स्ट्रीमिंग")).toEqual(["Premium Netflix Access"]);
  expect(inCatalogue("डिजाइन")).toEqual(["Canva"]);
  expect(inCatalogue("streaming")).toEqual(["Premium Netflix Access"]);
});

test("a typing mistake is not looked for while a tool contains the words as typed", () => {
  const tools = [
    { name: "Grammar", description: "", category: "other", features: [] },
    { name: "Grammer", description: "", category: "other", features: [] },
  ];
  expect(searchTools(tools, "grammer").map(({ name }) => name)).toEqual(["Grammer"]);
});

test("short words have to be exact, and a query that matches nothing finds nothing", () => {
  expect(inCatalogue("vpm")).toEqual([]);
  expect(inCatalogue("no such thing")).toEqual([]);
});

const demo = [
  "Premium Netflix Access",
  "Amazon Prime",
  "Canva",
  "ChatGPT Pro",
  "QuillBot",
  "AI Humanizer",
  "Grammar Checker",
  "Surfshark VPN",
  "Udemy",
  "HIX AI Assistant",
].map((name) => ({ name, description: "", category: "other", features: [] }));

test.each([
  ["नेटफ्लिक्स", "Premium Netflix Access"],
  ["नेटफ़्लिक्स", "Premium Netflix Access"],
  ["अमेज़न प्राइम", "Amazon Prime"],
  ["कैनवा", "Canva"],
  ["चैट जीपीटी", "ChatGPT Pro"],
  ["क्विलबॉट", "QuillBot"],
  ["ह्यूमनाइज़र", "AI Humanizer"],
  ["ग्रामर", "Grammar Checker"],
  ["सर्फशार्क", "Surfshark VPN"],
  ["यूडेमी", "Udemy"],
  ["हिक्स", "HIX AI Assistant"],
])("a name that is written in Devanagari is found by its sounds: %s", (query, name) => {
  expect(searchTools(demo, query).map((tool) => tool.name)).toEqual([name]);
});

test("a name that sounds like the query comes before a tool whose text contains it", () => {
  const tools = [
    { name: "Surfshark VPN", description: "निजी नेटवर्क।", category: "vpn", features: [] },
    { name: "Netflix", description: "", category: "streaming", features: [] },
  ];
  expect(searchTools(tools, "नेट").map((tool) => tool.name)).toEqual(["Netflix", "Surfshark VPN"]);
});

test.each([
  "मोबाइल",
  "आ",
  "स्पॉटिफाई",
])("a word in Devanagari that no name sounds like finds nothing: %s", (query) => {
  expect(searchTools(demo, query)).toEqual([]);
});

test.each([
  ["a word with too many mistakes for the search", "netfilks", ["Premium Netflix Access"]],
  ["a word among others that no tool has", "canva mobile plan", ["Canva"]],
  ["a short word", "vpm", ["Surfshark VPN"]],
  ["a word in Devanagari with other sounds", "नेटवर्किक्स", ["Premium Netflix Access"]],
  ["a word in Devanagari that is like no name", "मोबाइल", []],
  ["a word that is like no name", "spotify", []],
  ["vowels in Devanagari, which have no sounds that count", "आई", []],
  ["signs", "++", []],
])("the nearest names to %s are offered", (_typed, query, names) => {
  expect(nearestTools(demo, query).map(({ name }) => name)).toEqual(names);
});

test("the nearest names are at most three, the most similar first", () => {
  const named = ["Cantor", "Canvas", "Kanva", "Canva", "Candy"].map((name) => ({ name }));
  expect(nearestTools(named, "canva").map(({ name }) => name)).toEqual(["Canva", "Canvas", "Kanva"]);
});
