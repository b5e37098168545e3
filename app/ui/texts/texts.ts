import { type I18n, setupI18n } from "@lingui/core";
import { createElement, type ReactElement } from "react";
// biome-ignore lint/correctness/useJsonImportAttributes: an import of a type has none
import type hindi from "./hi.json";

/** The languages of the buyer's side. The admin area is in English. */
export type Language = "en" | "hi";

/** The values of `lang` attributes, with the country that numbers and dates are written for. */
export const LANGUAGE_TAGS: Readonly<Record<Language, string>> = { en: "en-IN", hi: "hi-IN" };

export function isLanguage(value: string | undefined): value is Language {
  return value !== undefined && Object.hasOwn(LANGUAGE_TAGS, value);
}

/** Keeps the language that was chosen in a browser. */
export const LANGUAGE_COOKIE = "daypass.language";

/** A text of a screen in English, which is its key in the catalogue of each other language. A value stands as `{name}`. */
export type Message = keyof typeof hindi;

/** The names of the values in a message. */
type ValueNames<M extends string> = M extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ValueNames<Rest>
  : never;

type GivenValues<M extends string, Value> = [ValueNames<M>] extends [never]
  ? []
  : [values: Readonly<Record<ValueNames<M>, Value>>];

const texts: Record<Language, I18n> = { en: createTexts("en", {}), hi: createTexts("hi", {}) };
let readLanguage: () => Language = () => "en";

/** Sets where the language of the running code is read: on the server from the request, in the browser from the document. */
export function followLanguage(read: () => Language): void {
  readLanguage = read;
}

/** Adds the catalogue of a language. English has none: its texts are in the code. */
export function addCatalogue(language: Language, catalogue: Readonly<Record<string, string>>): void {
  texts[language] = createTexts(language, catalogue);
}

/** The language of the running request, or of the page. */
export function currentLanguage(): Language {
  return readLanguage();
}

/** A text in the current language, with its values put in. */
export function t<M extends Message>(message: M, ...[values]: GivenValues<M, string | number>): string {
  return texts[readLanguage()]._(message, values);
}

/** The text for a count: `one` for 1, `other` for all other numbers. Both have the value `{count}`, or none. */
export function plural(count: number, one: Message, other: Message): string {
  return texts[readLanguage()]._(count === 1 ? one : other, { count });
}

/**
 * The text in the reader's language of an English text that is not known in advance, such as a constant of core or a badge;
 * unchanged when the catalogue does not have it. Messages of refusals, and texts that `t` has made, are translated already.
 */
export function translate(text: string): string {
  const found = texts[readLanguage()].messages[text];
  return typeof found === "string" ? found : text;
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

function createTexts(language: Language, messages: Readonly<Record<string, string>>): I18n {
  const locale = LANGUAGE_TAGS[language];
  return setupI18n({ locale, messages: { [locale]: { ...messages } } }).setMessagesCompiler(splitMessage);
}

/**
 * Reads a message without the library's parser, which is larger than the rest of it: the messages have plain values only.
 * "{count} left" → [["count"], " left"]
 */
export function splitMessage(message: string): (string | [string])[] {
  if (!message.includes("{")) return [message];
  return message
    .split(/[{}]/)
    .map((part, at): string | [string] => (at % 2 === 0 ? part : [part]))
    .filter((part) => part !== "");
}
