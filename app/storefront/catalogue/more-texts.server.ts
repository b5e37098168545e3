import { keepUntilChange } from "#core/catalog/keep-until-change.ts";
import { listActiveTools } from "#core/catalog/on-sale.server.ts";
import { inReadersLanguage, textsInOtherLanguages } from "#core/catalog/translations.ts";
import type { Context } from "#core/context.ts";
import { LANGUAGE_CODES } from "#languages/languages.ts";
import { currentLanguage } from "../../ui/texts/texts.ts";
import { moreTextsOf } from "./card-texts.ts";

/** By language, and also as finished JSON: the texts of a large shop have megabytes, and anybody may ask for them. */
const readEachLanguage = keepUntilChange(async (ctx) => {
  const tools = await listActiveTools(ctx);
  const versions = LANGUAGE_CODES.map((language) => {
    const reader = { browser: { language } };
    const others = new Map(tools.map((tool) => [tool.slug, textsInOtherLanguages(reader, tool)]));
    const read = tools.map((tool) => inReadersLanguage(reader, tool));
    const texts = moreTextsOf(read, others);
    return [language, { texts, json: JSON.stringify(texts) }] as const;
  });
  return new Map(versions);
});

/** The texts in which the search looks, and that the cards do not show, for the page of the request. Open to all. */
export async function readMoreTexts(ctx: Context) {
  const version = (await readEachLanguage(ctx)).get(currentLanguage());
  if (version === undefined) throw new Error("the request has a language that the shop does not have");
  return version;
}
