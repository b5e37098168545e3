import { globSync, readFileSync } from "node:fs";
import { parseSync, Visitor } from "oxc-parser";
import { afterEach, describe, expect, test } from "vitest";
import { OTHER_LANGUAGES } from "#core/catalog/translations.ts";
import demo from "#db/seed/demo-catalogue.json" with { type: "json" };
import hindi from "#languages/hi/screens.json" with { type: "json" };
import { LANGUAGES } from "#languages/languages.ts";
import { splitMessage } from "#languages/message-values.ts";
import { readTexts } from "#tests/fixtures/language-texts.ts";
import { addCatalogue, followLanguage, plural, t, tNodes, translate } from "./texts.ts";

/** Names that are written the same in all languages, such as the labels of buttons in Chrome and Firefox. */
const NAMES =
  /^(?:JavaScript|Developer mode|Load unpacked|Load Temporary Add-on|Google|Daypass|WhatsApp|UPI|GSTIN|Click|Email|\p{P}|\{[a-z]+\}|\s)+$/u;

const valuesOf = (message: string) =>
  splitMessage(message).flatMap((part) => (typeof part === "string" ? [] : part));

const CATALOGUES = OTHER_LANGUAGES.flatMap((language) =>
  (["screens", "mails", "test-checkout"] as const).map((name) => {
    const { script = "" } = new Intl.Locale(LANGUAGES[language].tag).maximize();
    const texts = Object.entries(readTexts(language, name));
    return { language, name, texts, script: new RegExp(`\\p{Script=${script}}`, "u") };
  }),
);

describe.each(CATALOGUES)("the texts of the $name in '$language'", ({ name, texts, script }) => {
  const keys = texts.map(([key]) => key);

  test("each text of another language is among them", () => {
    const all = CATALOGUES.flatMap((one) => (one.name === name ? one.texts.map(([key]) => key) : []));
    expect(all.filter((key) => !keys.includes(key))).toEqual([]);
  });

  test("each has the values of its message", () => {
    const differing = texts.filter(
      ([english, text]) => valuesOf(text).toSorted().join() !== valuesOf(english).toSorted().join(),
    );
    expect(differing).toEqual([]);
  });

  test("each is in the language, except for names", () => {
    expect(texts.filter(([, text]) => !script.test(text) && !NAMES.test(text))).toEqual([]);
  });

  test("each has pairs of braces only, around the name of a value", () => {
    const broken = texts
      .flat()
      .filter((message) => message.replaceAll(/\{[a-z][a-zA-Z]*\}/g, "").match(/[{}]/));
    expect(broken).toEqual([]);
  });

  test("each is in the code", () => {
    const known = new Set([...textsOfCode(name), ...(name === "screens" ? demoBadges() : [])]);
    expect(keys.filter((key) => !known.has(key))).toEqual([]);
  });
});

test("the catalogues have the badges of the demo catalogue", () => {
  for (const { texts } of CATALOGUES.filter(({ name }) => name === "screens")) {
    const keys = new Set(texts.map(([key]) => key));
    expect(demoBadges().filter((text) => !keys.has(text))).toEqual([]);
  }
});

/** Its categories are in the code, and its other texts have their translations beside them. */
const demoBadges = (): string[] => demo.tools.flatMap((tool) => tool.badge ?? []);

/**
 * The code that has the texts. Those of the screens are in that of the app; of core, in which some refusals have their texts; of the
 * extension, which pages quote; and of what both share.
 */
const CODE = {
  screens: "{app,contracts,core,extension}/**/*.{ts,tsx}",
  "test-checkout": "adapters/sandbox-gateway/**/*.ts",
  mails: ["adapters/mail-templates/**/*.tsx", "core/refund-reasons.ts", "core/mail/mail-templates.ts"],
};

function textsOfCode(name: keyof typeof CODE): Set<string> {
  const found = new Set<string>();
  for (const path of globSync(CODE[name])) {
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
