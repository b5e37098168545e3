/**
 * The languages of the buyer's side. Another one is a line here and a folder with its texts; the admin area is in English.
 * `tag`: the value of `lang` attributes, with the country that numbers and dates are written for. `name`: in the language itself.
 */
export const LANGUAGES = {
  en: { tag: "en-IN", name: "English" },
  hi: { tag: "hi-IN", name: "हिन्दी" },
} as const satisfies Readonly<Record<string, { tag: string; name: string }>>;

export type Language = keyof typeof LANGUAGES;

export const LANGUAGE_CODES = Object.keys(LANGUAGES) as Language[];

export function isLanguage(value: string | undefined): value is Language {
  return value !== undefined && Object.hasOwn(LANGUAGES, value);
}
