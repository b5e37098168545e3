import type { IncomingHttpHeaders } from "node:http";
import { parseAccept } from "hono/utils/accept";
import { LANGUAGE_COOKIE } from "#app/ui/texts/texts.ts";
import { isLanguage, type Language } from "#languages/languages.ts";

const CHOSEN_LANGUAGE = new RegExp(`(?:^|;\\s*)${LANGUAGE_COOKIE}=([a-z]+)(?:;|$)`);
/** Most browsers send the same few headers, and a long one names languages that nobody reads. */
const LONGEST_ACCEPTED = 100;
const MAX_ACCEPTED = 1_000;
const accepted = new Map<string, Language>();

/** The first languages of a header, each whole. */
function withoutRest(header: string): string {
  if (header.length <= LONGEST_ACCEPTED) return header;
  return header.slice(0, header.lastIndexOf(",", LONGEST_ACCEPTED) + 1);
}

/** The language that was chosen in this browser, otherwise the language of the shop that it prefers. */
export function languageOf(headers: Pick<IncomingHttpHeaders, "cookie" | "accept-language">): Language {
  const chosen = CHOSEN_LANGUAGE.exec(headers.cookie ?? "")?.[1];
  if (isLanguage(chosen)) return chosen;
  const header = withoutRest(headers["accept-language"] ?? "");
  const known = accepted.get(header);
  if (known !== undefined) return known;
  if (accepted.size >= MAX_ACCEPTED) accepted.clear();
  const preferred = parseAccept(header)
    .filter(({ q }) => q > 0)
    .map(({ type }) => type.toLowerCase().split("-")[0])
    .find(isLanguage);
  accepted.set(header, preferred ?? "en");
  return preferred ?? "en";
}
