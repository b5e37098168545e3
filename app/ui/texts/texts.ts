import { createElement, type ReactElement } from "react";
import { LANGUAGES, type Language } from "#languages/languages.ts";
import { type GivenValues, splitMessage, withValues } from "#languages/message-values.ts";

/** Keeps the language that was chosen in a browser. */
export const LANGUAGE_COOKIE = "daypass.language";

/** A text of a screen in English, which is its key in the catalogue of each other language. A value stands as `{name}`. */
export type Message = keyof typeof import("#languages/hi/screens.json");

/** English has none: its texts are in the code. */
const catalogues = new Map<Language, ReadonlyMap<string, string>>();
let readLanguage: () => Language = () => "en";

/** Sets where the language of the running code is read: on the server from the request, in the browser from the document. */
export function followLanguage(read: () => Language): void {
  readLanguage = read;
}

export function addCatalogue(language: Language, catalogue: Readonly<Record<string, string>>): void {
  catalogues.set(language, new Map(Object.entries(catalogue)));
}

/** The language of the running request, or of the page. */
export function currentLanguage(): Language {
  return readLanguage();
}

/** A text in the current language, with its values put in. */
export function t<M extends Message>(message: M, ...[values]: GivenValues<M, string | number>): string {
  return withValues(translate(message), values);
}

/** The text for a count: `one` for 1, `other` for all other numbers. Both have the value `{count}`, or none. */
export function plural(count: number, one: Message, other: Message): string {
  return withValues(translate(count === 1 ? one : other), { count });
}

/**
 * The text in the reader's language of an English text that is not known in advance, such as a constant of core or a badge;
 * unchanged when the catalogue does not have it. Messages of refusals, and texts that `t` has made, are translated already.
 */
export function translate(text: string): string {
  return catalogues.get(readLanguage())?.get(text) ?? text;
}

/**
 * The `lang` of a text that the owner has written: "en" where it has no letter of the script of the page's language, so that it is
 * read aloud as English; otherwise none. A name in Latin letters is read as English on a page in Hindi, whoever has chosen it.
 */
export function langOf(text: string): "en" | undefined {
  const language = readLanguage();
  if (language === "en") return undefined;
  return /\p{L}/u.test(text) && !lettersOf(language).test(text) ? "en" : undefined;
}

const scripts = new Map<Language, RegExp>();

function lettersOf(language: Language): RegExp {
  let known = scripts.get(language);
  if (known === undefined) {
    const { script = "Latn" } = new Intl.Locale(LANGUAGES[language].tag).maximize();
    known = new RegExp(`\\p{Script=${script}}`, "u");
    scripts.set(language, known);
  }
  return known;
}

/**
 * Children of a component that has others beside them. A browser's translation moves a bare text into an element of its own, and
 * then React can neither change the text nor put anything before it: a text beside other children is in an element.
 */
export type Elements = ReactElement | readonly Elements[] | false | null | undefined;

/** The same as `t` for values that are elements, each with a key, or texts. */
export function tNodes<M extends Message>(
  message: M,
  ...[values]: GivenValues<M, ReactElement | string | number>
): ReactElement[] {
  const nodes = new Map<string, ReactElement | string | number>(Object.entries(values ?? {}));
  return splitMessage(translate(message)).map((part, at) => {
    const node = typeof part === "string" ? part : nodes.get(part[0]);
    return typeof node === "object" ? node : createElement("span", { key: at }, node);
  });
}
