import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, expect, test } from "vitest";
import { OTHER_LANGUAGES } from "#core/catalog/translations.ts";
import hindi from "#languages/hi/screens.json" with { type: "json" };
import { readTexts } from "#tests/fixtures/language-texts.ts";
import { PartlyHidden, splitAround } from "./text.tsx";
import { addCatalogue, followLanguage, t } from "./texts/texts.ts";

afterEach(() => followLanguage(() => "en"));

const render = (text: string, shown: string) =>
  renderToStaticMarkup(<PartlyHidden text={text} shown={shown} />);
const access = () => render(t("Get access to {tool}", { tool: "Canva" }), t("Get access"));

test("the part of a text that is not shown is read in its place, in both languages", () => {
  expect(access()).toBe('<span>Get access</span><span class="sr-only"> to Canva</span>');
  addCatalogue("hi", hindi);
  followLanguage(() => "hi");
  expect(access()).toBe('<span class="sr-only">Canva का </span><span>पास लें</span>');
});

test("a text is split where the part first occurs; a text without the part is read before it", () => {
  expect(splitAround("Open free Open free", "Open free")).toEqual(["", " Open free"]);
  expect(render("Free access", "Open")).toBe('<span class="sr-only">Free access</span><span>Open</span>');
});

test.each([
  ["Get access to {tool}", "Get access"],
  ["Open free {tool}", "Open free"],
  ["Contact about {tool}", "Contact"],
  ["Renew Access to {tool}", "Renew Access"],
  ["Save {saving}% compared with the shortest option", "Save {saving}%"],
  ["Add to your browser, opens the store", "Add to your browser"],
  ["This email is already in use. Try signing in instead.", "Try signing in instead"],
] as const)("the text of '%s' contains the text of '%s' in all languages", (text, shown) => {
  for (const language of OTHER_LANGUAGES) {
    const texts = readTexts(language, "screens");
    expect(texts[text]).toContain(texts[shown]);
  }
});
