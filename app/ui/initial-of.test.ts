import { expect, test } from "vitest";
import { initialOf } from "./initial-of.ts";

test.each([
  ["canva", "C"],
  [" netflix", "N"],
  ["🎬 Movies", "🎬"],
  ["👩🏽‍💻 Coding", "👩🏽‍💻"],
  ["🇮🇳 India", "🇮🇳"],
  ["e\u0301tude", "E\u0301"],
  ["", ""],
])("the first letter of %s is a whole character", (name, initial) => {
  expect(initialOf(name)).toBe(initial);
});
