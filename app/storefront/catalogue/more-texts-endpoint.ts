import { keepUntilChange } from "#core/catalog/keep-until-change.ts";
import { listActiveTools } from "#core/catalog/on-sale.server.ts";
import { inReadersLanguage, textsInOtherLanguages } from "#core/catalog/translations.ts";
import { LANGUAGE_CODES } from "#languages/languages.ts";
import { methodNotAllowed, respondWith } from "../../request/json-response.ts";
import { shopContext } from "../../request/request-context.ts";
import { currentLanguage } from "../../ui/texts/texts.ts";
import type { Route } from "./+types/more-texts-endpoint";
import { moreTextsOf } from "./card-texts.ts";

/** The finished answers by language: those of a large shop have megabytes, and anybody may ask for them. */
const readAnswers = keepUntilChange(async (ctx) => {
  const tools = await listActiveTools(ctx);
  const answers = LANGUAGE_CODES.map((language) => {
    const reader = { browser: { language } };
    const others = new Map(tools.map((tool) => [tool.slug, textsInOtherLanguages(reader, tool)]));
    const read = tools.map((tool) => inReadersLanguage(reader, tool));
    return [language, JSON.stringify({ ok: true, texts: moreTextsOf(read, others) })] as const;
  });
  return new Map(answers);
});

/** GET: the texts in which the search looks, and that the cards do not show. */
export function loader({ context }: Route.LoaderArgs): Promise<Response> {
  const ctx = context.get(shopContext);
  return respondWith(ctx, async () => {
    const answer = (await readAnswers(ctx)).get(currentLanguage());
    const headers = { "cache-control": "no-store", "content-type": "application/json" };
    return new Response(answer, { headers });
  });
}

export function action(): Response {
  return methodNotAllowed("GET");
}
