import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { distinctMonograms, initialOf, lookOfTile, monogramOf } from "./logo-tile.tsx";

const catalogue = z.object({ tools: z.array(z.object({ name: z.string() })) });
const file = new URL("../../db/seed/demo-catalogue.json", import.meta.url);
const names = catalogue.parse(JSON.parse(readFileSync(file, "utf8"))).tools.map(({ name }) => name);

test("the tiles of the demo catalogue all have different colours", () => {
  const colours = names.map(lookOfTile).map(({ hue, isSolid }) => `${hue} ${isSolid}`);
  expect(new Set(colours).size).toBe(names.length);
});

test("the tiles of two names with the same letters have different motifs", () => {
  expect(monogramOf("ChatGPT Pro")).toBe(monogramOf("ChatGPT Plus"));
  expect(lookOfTile("ChatGPT Pro").motif).not.toBe(lookOfTile("ChatGPT Plus").motif);
});

test("names with the same letters get others of their own, and all other names keep theirs", () => {
  const lettersIn = (given: readonly string[]) => {
    const changed = distinctMonograms(given);
    return given.map((name) => changed[name.toLowerCase()] ?? monogramOf(name));
  };
  expect(lettersIn(["ChatGPT Pro", "ChatGPT Plus", "Pluto"])).toEqual(["CP", "Pu", "Pl"]);
  expect(lettersIn(["Canva", "Cadence", "Calm"])).toEqual(["Ca", "Cd", "Cl"]);
  expect(new Set(lettersIn(names)).size).toBe(names.length);
  // Nothing can tell these apart.
  expect(lettersIn(["हिन्दी", "हिन्दी", "X", "X"])).toEqual(["हि", "हि", "X", "X"]);
});

test.each([
  ["Canva", "Ca"],
  ["canva", "Ca"],
  ["QuillBot", "QB"],
  ["AI Humanizer", "AH"],
  ["HIX AI Assistant", "HA"],
  ["IPTV", "IP"],
  ["X", "X"],
  ["7 Days", "7D"],
  ["Jasper – writer", "Ja"],
  ["🎬 Movies", "🎬"],
  ["e\u0301tude", "E\u0301"],
  ["हिन्दी", "हि"],
  ["", ""],
])("the letters on the tile of %s are %s", (name, letters) => {
  expect(monogramOf(name)).toBe(letters);
});

test("a name has the same tile in capital and in small letters", () => {
  expect(lookOfTile("CANVA")).toEqual(lookOfTile("canva"));
});

test.each([
  ["canva", "C"],
  [" netflix", "N"],
  ["🎬 Movies", "🎬"],
  ["👩🏽‍💻 Coding", "👩🏽‍💻"],
  ["🇮🇳 India", "🇮🇳"],
  ["e\u0301tude", "E\u0301"],
  ["1\ufe0f\u20e3 First", "1\ufe0f\u20e3"],
  ["हिन्दी", "हि"],
  ["", ""],
])("the first letter of %s is a whole character", (name, initial) => {
  expect(initialOf(name)).toBe(initial);
});
