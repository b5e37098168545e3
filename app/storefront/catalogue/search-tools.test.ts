import { expect, test } from "vitest";
import { searchTools } from "./search-tools.ts";

const tools = [
  { name: "QuillBot", description: "Rewrites text.", category: "writing", features: ["Citation generator"] },
  { name: "Canva", description: "Posters and slides.", category: "design", features: ["Brand kit"] },
];
const found = (query: string) => searchTools(tools, query).map((tool) => tool.name);

test("a blank query keeps everything in order", () => {
  expect(found("  ")).toEqual(["QuillBot", "Canva"]);
});

test("case does not matter, and any part of a tool is searched", () => {
  expect(found("CANVA")).toEqual(["Canva"]);
  expect(found("citation")).toEqual(["QuillBot"]);
  expect(found("design")).toEqual(["Canva"]);
});

test("every word has to be found", () => {
  expect(found("canva slides")).toEqual(["Canva"]);
  expect(found("canva citation")).toEqual([]);
});
