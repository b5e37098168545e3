import { expect, test } from "vitest";
import { searchTools } from "./search-tools.ts";

const tools = [
  { name: "QuillBot", description: "Rewrites text.", category: "writing", features: ["Citation generator"] },
  { name: "Canva", description: "Posters and slides.", category: "design", features: ["Brand kit"] },
];
const found = (query: string) => searchTools(tools, query).map((tool) => tool.name);

test("a blank query returns all tools in their order", () => {
  expect(found("  ")).toEqual(["QuillBot", "Canva"]);
});

test("the search ignores case and covers every text of a tool", () => {
  expect(found("CANVA")).toEqual(["Canva"]);
  expect(found("citation")).toEqual(["QuillBot"]);
  expect(found("design")).toEqual(["Canva"]);
});

test("a tool is found only by a query whose every word it contains", () => {
  expect(found("canva slides")).toEqual(["Canva"]);
  expect(found("canva citation")).toEqual([]);
});
