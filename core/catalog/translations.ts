import { z } from "zod";
import type { PricingOption, ToolTexts, Translations } from "#db/tables/catalog.ts";
import { LANGUAGE_CODES, type Language } from "#languages/languages.ts";
import { optionalText } from "../form-fields.ts";
import { cleanText } from "../typed-text.ts";
import * as file from "./catalogue-file/file-fields.ts";
import { TOOL_LIMITS as LIMITS, toOneLine } from "./limits.ts";

export type OtherLanguage = Exclude<Language, "en">;

/** The languages that the owner can translate into. */
export const OTHER_LANGUAGES = LANGUAGE_CODES.filter((code): code is OtherLanguage => code !== "en");
const language = z.enum(OTHER_LANGUAGES);

interface Reader {
  browser?: { language?: Language };
}

/** The texts in the language of the request; none where it is English, or where nobody reads, such as in a job. */
export const translationOf = <Texts extends object>(
  { browser }: Reader,
  translations: Translations<Texts> = {},
): Partial<Texts> => translations[browser?.language ?? "en"] ?? {};

/** The texts of a tool, as they are stored. */
interface StoredTexts {
  translations: Translations<ToolTexts>;
  name: string;
  pricingOptions?: PricingOption[];
}

/**
 * The tool with its texts in the reader's language, and in English where there is none. A translation of a text that the tool no
 * longer has is not shown.
 */
export function inReadersLanguage<Tool extends StoredTexts>(
  reader: Reader,
  stored: Tool,
): Omit<Tool, "translations"> {
  const { translations, ...tool } = stored;
  const { optionLabels = {}, ...texts } = translationOf(reader, translations);
  const english = filledTexts(Object.fromEntries(Object.entries(tool)));
  const translated = Object.entries(texts).filter(([key]) => key in english);
  const pricingOptions = stored.pricingOptions?.map((option) => {
    const shownLabel = optionLabels[option.validityDays];
    return shownLabel === undefined ? option : { ...option, shownLabel };
  });
  return { ...tool, ...Object.fromEntries(translated), ...(pricingOptions && { pricingOptions }) };
}

/** What a tool is called, and what it is, in the languages that the reader's page does not show. */
export function textsInOtherLanguages(
  reader: Reader,
  { name, description, features, translations }: StoredTexts & Pick<ToolTexts, "description" | "features">,
): string {
  const shown = translationOf(reader, translations);
  const others = Object.values(translations).filter((texts) => texts !== shown);
  const isEnglish = others.length === Object.keys(translations).length;
  return (isEnglish ? others : [{ name, description, features }, ...others])
    .flatMap((texts) => [texts.name ?? [], texts.description ?? [], texts.features ?? []].flat())
    .join(" ");
}

/** The texts that are there: neither null nor empty. */
export function filledTexts<Text>(texts: {
  readonly [key: string]: Text;
}): Record<string, NonNullable<Text>> {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([key, text]) =>
      text && Object.keys(text).length > 0 ? [[key, text]] : [],
    ),
  );
}

/* What the admin's forms send: a list is one text with an entry a line. */

const lines = (maxLength: number, maxCount: number) =>
  z
    .string()
    .default("")
    .transform((text) => [...new Set(text.split("\n").map(cleanText))].filter((line) => line !== ""))
    .refine(
      (list) => list.every(({ length }) => length <= maxLength),
      `At most ${maxLength} characters a line.`,
    )
    .refine((list) => list.length <= maxCount, `At most ${maxCount} lines.`);

const days = z.string().regex(/^[1-9]\d{0,3}$/);
/** "d30" is 30 days: a number in the name of a field of a form is the place in a list. */
const typedDays = z.string().regex(/^d[1-9]\d{0,3}$/);

/** The languages in which there is a text. @param texts what the form sends in one language */
export const translationsForm = <Shape extends z.ZodRawShape>(texts: Shape) =>
  z.partialRecord(language, z.object(texts).transform(filledTexts)).default({}).transform(filledTexts);

export const toolTranslationsForm = translationsForm({
  name: optionalText(LIMITS.name).transform((name) => name && toOneLine(name)),
  description: optionalText(LIMITS.description),
  badge: optionalText(LIMITS.badge),
  features: lines(LIMITS.feature, LIMITS.features),
  optionLabels: z
    .record(typedDays, optionalText(LIMITS.optionLabel))
    .default({})
    .transform((labels) =>
      filledTexts(Object.fromEntries(Object.entries(labels).map(([key, label]) => [key.slice(1), label]))),
    ),
  howToUse: lines(LIMITS.howToUseLine, LIMITS.howToUse),
});

/* What an entry of the catalogue file has. Without it, an upload changes no translation. */

/** Before each key of an object is looked at, of which a file can have any number, `__proto__` among them. */
const objectWith = (mayHave: (keys: readonly string[]) => boolean, error: string) =>
  z
    .unknown()
    .refine((value) => typeof value !== "object" || value === null || mayHave(Object.keys(value)), error);

const LANGUAGES_ONLY = `must be an entry in { } with languages: ${OTHER_LANGUAGES.join(", ")}`;

export const translationsInFile = <Texts extends z.ZodType>(texts: Texts) =>
  objectWith((keys) => keys.every((key) => OTHER_LANGUAGES.some((known) => known === key)), LANGUAGES_ONLY)
    .pipe(z.partialRecord(language, texts, { error: LANGUAGES_ONLY }))
    .optional();

export const toolTranslationsInFile = translationsInFile(
  file.strict({
    name: file.line(LIMITS.name).optional(),
    description: file.text(LIMITS.description).optional(),
    badge: file.line(LIMITS.badge).optional(),
    features: file
      .shortList(file.line(LIMITS.feature), LIMITS.features)
      .min(1, "must not be empty")
      .optional(),
    optionLabels: objectWith(
      ({ length }) => length <= LIMITS.pricingOptions,
      `must have at most ${LIMITS.pricingOptions}`,
    )
      .pipe(z.record(days, file.line(LIMITS.optionLabel)))
      .optional(),
    howToUse: file
      .shortList(file.line(LIMITS.howToUseLine), LIMITS.howToUse)
      .min(1, "must not be empty")
      .optional(),
  }),
);
