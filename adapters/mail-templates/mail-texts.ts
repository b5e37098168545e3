import type { ReactNode } from "react";
import type { Language } from "#languages/languages.ts";
import { type GivenValues, splitMessage, withValues } from "#languages/message-values.ts";

/** A text of a mail to buyers in English, which is its key in the catalogue of each other language. */
type MailText = keyof typeof import("#languages/hi/mails.json");

/** English has none: its texts are in the code. Browsers load the texts of the screens, and never need these. */
const CATALOGUES = import.meta.glob<Readonly<Record<string, string>>>("/languages/*/mails.json", {
  eager: true,
  import: "default",
});

/** The texts of mails, in the language of the recipient. */
export interface MailTexts {
  language: Language;
  t<M extends MailText>(text: M, ...values: GivenValues<M, string | number>): string;
  /** The same for values that are elements, each with a key. */
  nodes<M extends MailText>(text: M, ...values: GivenValues<M, ReactNode>): ReactNode[];
}

export function textsIn(language: Language): MailTexts {
  const find = (text: string) => CATALOGUES[`/languages/${language}/mails.json`]?.[text] ?? text;
  return {
    language,
    t: (text, ...[values]) => withValues(find(text), values),
    nodes(text, ...[values]) {
      const nodes = new Map<string, ReactNode>(Object.entries(values ?? {}));
      return splitMessage(find(text)).map((part) => (typeof part === "string" ? part : nodes.get(part[0])));
    },
  };
}
