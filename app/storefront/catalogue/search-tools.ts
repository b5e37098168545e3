import type { CatalogueCard } from "#core/catalog/on-sale.server.ts";
import { countMistakes, searchKey } from "#core/typed-text.ts";
import { translate } from "../../ui/texts/texts.ts";
import { categoryLabel } from "./catalogue-params.ts";

interface SearchableTool extends Pick<CatalogueCard, "name" | "description" | "category" | "features"> {
  moreText?: string | undefined;
}

/**
 * The tools that match every word of the query, in the given order, but first those whose name has a word that begins with the
 * query's first: "can" finds Canva before a tool for American spelling. A blank query returns all tools. Only when no tool
 * contains the words as typed, words with a typing mistake match too: "netflx" finds Netflix. "नेटफ्लिक्स" sounds like it, and finds it as
 * if it were typed so.
 */
export function searchTools<Tool extends SearchableTool>(tools: readonly Tool[], query: string): Tool[] {
  const words = toWords(query);
  const [first] = words;
  const signs = searchKey(query);
  // Signs and emoji are no words.
  if (first === undefined) return tools.filter((tool) => searchText(tool).includes(signs));
  const texts = tools.map((tool) => ({ tool, text: searchText(tool) }));
  const exact = texts.filter(
    ({ tool, text }) => words.every((word) => text.includes(word)) || soundsLike(query, tool.name),
  );
  const isLike = ({ text }: { text: string }) => isSimilar(words, toWords(text));
  const found = exact.length > 0 ? exact : texts.filter(isLike);
  const isNamed = ({ tool: { name } }: { tool: Tool }) =>
    toWords(name).some((word) => word.startsWith(first)) || soundsLike(query, name);
  return [...found.filter(isNamed), ...found.filter((match) => !isNamed(match))].map(({ tool }) => tool);
}

const MOST_NEAREST = 3;

/**
 * The tools whose names are the most similar to what was typed, the most similar first: in fewer than half of the letters of a
 * word, or of its sounds when it is in Devanagari, there is a mistake.
 */
export function nearestTools<Tool extends Pick<CatalogueCard, "name">>(
  tools: readonly Tool[],
  query: string,
): Tool[] {
  const spell = DEVANAGARI.test(query) ? soundsOf : searchKey;
  const spelledWords = (text: string) =>
    toWords(text)
      .map(spell)
      .filter(({ length }) => length >= SHORTEST_SOUNDS);
  const typed = spelledWords(query);
  const mistakesIn = (name: string) =>
    spelledWords(name).flatMap((word) =>
      typed.map((other) => countMistakes(other, word) / Math.max(other.length, word.length)),
    );
  return tools
    .map((tool) => ({ tool, mistakes: Math.min(...mistakesIn(tool.name)) }))
    .filter(({ mistakes }) => mistakes < 0.5)
    .toSorted((one, other) => one.mistakes - other.mistakes)
    .slice(0, MOST_NEAREST)
    .map(({ tool }) => tool);
}

function searchText({ name, category, description, features, moreText = "" }: SearchableTool): string {
  const known = category.toLowerCase();
  const others = CATEGORY_WORDS[known];
  const synonyms = others === undefined ? [] : [others, translate(others)];
  return searchKey(
    [name, category, categoryLabel(known), ...synonyms, description, ...features, moreText].join(" "),
  );
}

function toWords(text: string): string[] {
  return searchKey(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

function isSimilar(words: readonly string[], candidates: readonly string[]): boolean {
  return words.every(
    (word) => candidates.some((candidate) => isSimilarWord(word, candidate)) || isTwoWords(word, candidates),
  );
}

const SHORTEST_PART = 3;

/** Whether a typed word is a word and the beginning of another without a space between them: "amazonprime". */
function isTwoWords(typed: string, candidates: readonly string[]): boolean {
  return candidates.some((first) => {
    const rest = typed.slice(first.length);
    if (first.length < SHORTEST_PART || rest.length < SHORTEST_PART || !typed.startsWith(first)) return false;
    return candidates.some((second) => second.startsWith(rest));
  });
}

/** Whether a word is the beginning of another, apart from typing mistakes: one from four letters, two from eight. */
function isSimilarWord(typed: string, word: string): boolean {
  if (word.startsWith(typed)) return true;
  const allowed = typed.length < 4 ? 0 : typed.length < 8 ? 1 : 2;
  // The mistake may be a letter too few or too many, so that the typed beginning is longer or shorter.
  for (let length = typed.length - allowed; allowed > 0 && length <= typed.length + allowed; length++) {
    if (length <= word.length && countMistakes(typed, word.slice(0, length)) <= allowed) return true;
  }
  return false;
}

/** Words that buyers type for the categories of the demo catalogue. A category of the owner's own is found by its name. */
const CATEGORY_WORDS: Readonly<Record<string, string>> = {
  streaming: "movies films series shows tv cinema video ott",
  assistants: "ai chat chatbot gpt bot",
  writing: "text essay paraphrase rewrite grammar humanizer words",
  design: "graphics poster logo template photo edit",
  learning: "courses study education class training",
  vpn: "privacy security proxy",
};

const DEVANAGARI = /\p{Script=Devanagari}/u;
const SHORTEST_SOUNDS = 2;

/** Consonants that stand for one sound, first in Devanagari and then in Latin letters. Vowels, y and h count for nothing. */
const SOUNDS: readonly (readonly [RegExp, string])[] = [
  [/qu/g, "kv"],
  [/[कख]|q|ck|kh|c(?![eiyh])/g, "k"],
  [/[गघजझ]|gh|[jz]/g, "g"],
  [/[चछ]|ch/g, "c"],
  [/[टठतथ]|th/g, "t"],
  [/[डढदध]|dh/g, "d"],
  [/[णनङञं]/g, "n"],
  [/फ|ph/g, "f"],
  [/प/g, "p"],
  [/[बभ]|bh/g, "b"],
  [/म/g, "m"],
  [/र/g, "r"],
  [/[लळ]/g, "l"],
  [/व|w/g, "v"],
  [/[शषस]|sh/g, "s"],
  [/x/g, "ks"],
];

/** Whether a query in Devanagari sounds like a name, from the beginning of any of its words. */
function soundsLike(query: string, name: string): boolean {
  const sounds = DEVANAGARI.test(query) ? soundsOf(query) : "";
  if (sounds.length < SHORTEST_SOUNDS) return false;
  const words = toWords(name);
  return words.some((_, at) => soundsOf(words.slice(at).join("")).startsWith(sounds));
}

/** The consonants of a name as they sound, so that "नेटफ्लिक्स" and "Netflix" are both "ntflks". */
function soundsOf(name: string): string {
  let sounds = searchKey(name);
  for (const [letters, sound] of SOUNDS) sounds = sounds.replace(letters, sound);
  return sounds.replace(/[^b-df-gj-npr-tv]/g, "").replace(/(.)\1+/g, "$1");
}
