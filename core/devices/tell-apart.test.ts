import { expect, test } from "vitest";
import { tellApart } from "./rules.ts";

test.each([
  [
    ["Chrome", "Firefox"],
    ["Chrome", "Firefox"],
  ],
  [
    ["Chrome", "chrome", "Chrome"],
    ["Chrome", "chrome 2", "Chrome 3"],
  ],
  [
    ["Chrome", "Chrome", "Chrome 2"],
    ["Chrome", "Chrome 3", "Chrome 2"],
  ],
  [[], []],
])("the devices %j are shown as %j", (names, shown) => {
  expect(tellApart(names.map((name) => ({ name }))).map(({ shownName }) => shownName)).toEqual(shown);
});
