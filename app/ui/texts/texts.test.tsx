import { globSync, readFileSync } from "node:fs";
import { parseSync, Visitor } from "oxc-parser";
import { afterEach, describe, expect, test } from "vitest";
import demo from "#db/seed/demo-catalogue.json" with { type: "json" };
import hindi from "./hi.json" with { type: "json" };
import { addCatalogue, followLanguage, plural, splitMessage, t, tNodes, translate } from "./texts.ts";

const CATALOGUE = Object.entries(hindi);
const DEVANAGARI = /\p{Script=Devanagari}/u;
/** Names that are written the same in both languages, such as the labels of buttons in Chrome and Firefox. */
const NAMES =
  /^(?:JavaScript|Developer mode|Load unpacked|Load Temporary Add-on|Google|Daypass|WhatsApp|UPI|GSTIN|Click|Email|[·:.]|\{[a-z]+\}|\s)+$/;

const valuesOf = (message: string) =>
  splitMessage(message).flatMap((part) => (typeof part === "string" ? [] : part));

test("the Hindi catalogue has the values of each message", () => {
  const differing = CATALOGUE.filter(
    ([english, text]) => valuesOf(text).toSorted().join() !== valuesOf(english).toSorted().join(),
  );
  expect(differing).toEqual([]);
});

test("the Hindi catalogue is in Hindi, except for names", () => {
  const english = CATALOGUE.filter(([key, text]) => !DEVANAGARI.test(text) && !NAMES.test(key));
  expect(english).toEqual([]);
});

test("the Hindi catalogue has pairs of braces only, each around the name of a value", () => {
  const broken = CATALOGUE.flat().filter((message) =>
    message.replaceAll(/\{[a-z][a-zA-Z]*\}/g, "").match(/[{}]/),
  );
  expect(broken).toEqual([]);
});

test("the Hindi catalogue has no text that the code does not have", () => {
  const known = new Set([...textsOfCode(), ...demoBadges()]);
  expect(CATALOGUE.map(([key]) => key).filter((key) => !known.has(key))).toEqual([]);
});

test("the Hindi catalogue has the badges of the demo catalogue", () => {
  const inHindi = new Set(CATALOGUE.map(([key]) => key));
  expect(demoBadges().filter((text) => !inHindi.has(text))).toEqual([]);
});

/** Its categories are in the code, and its other texts have their translations beside them. */
const demoBadges = (): string[] => demo.tools.flatMap((tool) => tool.badge ?? []);

/**
 * Every string in the code of the app; of core, in which some refusals have their texts; and of the extension, which pages quote;
 * and of what both share.
 */
function textsOfCode(): Set<string> {
  const found = new Set<string>();
  for (const path of globSync("{app,contracts,core,extension}/**/*.{ts,tsx}")) {
    if (path.includes(".test.")) continue;
    const { program } = parseSync(path, readFileSync(path, "utf8"));
    new Visitor({
      Literal: ({ value }) => {
        if (typeof value === "string") found.add(value);
      },
    }).visit(program);
  }
  return found;
}

describe("a text", () => {
  afterEach(() => followLanguage(() => "en"));
  const inHindi = () => {
    addCatalogue("hi", hindi);
    followLanguage(() => "hi");
  };

  test("a text is in English without a choice, and in Hindi when the language is Hindi", () => {
    expect(t("Try again")).toBe("Try again");
    inHindi();
    expect(t("Try again")).toBe("फिर कोशिश करें");
  });

  test("a text has its values in both languages", () => {
    const values = { hours: 5, minutes: 20 };
    expect(t("{hours} h {minutes} min", values)).toBe("5 h 20 min");
    inHindi();
    expect(t("{hours} h {minutes} min", values)).toBe("5 घंटे 20 मिनट");
  });

  test("a text with a count is singular for one, and plural for all other numbers", () => {
    const days = (count: number) => plural(count, "{count} day", "{count} days");
    expect([0, 1, 2].map(days)).toEqual(["0 days", "1 day", "2 days"]);
    inHindi();
    expect([1, 2].map(days)).toEqual(["1 दिन", "2 दिन"]);
  });

  test("a text may have elements as values; its own words are elements then, which a browser's translation does not move", () => {
    const parts = tNodes("No access code found for {server}", { server: <b key="server">Server 1</b> });
    expect(parts).toEqual([<span key={0}>No access code found for </span>, <b key="server">Server 1</b>]);
  });

  test("a text that is not known in advance is translated when the catalogue has it, with braces or without", () => {
    inHindi();
    expect(translate("Tool not found")).toBe("टूल नहीं मिला");
    expect(translate("A {strange} text of the owner")).toBe("A {strange} text of the owner");
  });
});
