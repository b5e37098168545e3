/** Characters that nobody sees. Devanagari and emoji need the two joiners U+200C and U+200D. */
const INVISIBLE = /(?![\u200c\u200d])\p{Cf}/gu;

/**
 * A text as it is stored: NFC, without invisible characters and outer spaces. For names, texts and searches; passwords, access
 * codes and other secrets stay as they were typed.
 */
export const cleanText = (typed: string): string => typed.normalize("NFC").replace(INVISIBLE, "").trim();

const JOINERS = /[\u200c\u200d]/g;

/** The form in which a search and what it looks in are compared: clean, in lower case, and without joiners. */
export const searchKey = (text: string): string => cleanText(text).replace(JOINERS, "").toLowerCase();

/**
 * "Asha <asha@example.com>", "<asha@example.com>" and "mailto:asha@example.com?subject=Hello". No part of an address has an "@",
 * so that a long text is not tried from each of them.
 */
const PASTED_EMAIL = /^[^<>]*<\s*(?:mailto:)?([^<>\s@]+@[^<>\s@]+)\s*>[,;]?$|^mailto:([^?\s]+)/i;

/** The address of a text that names one in the form of a link or of a mail program; null for any other text. */
function pastedEmail(text: string): string | null {
  const [, bracketed, linked] = PASTED_EMAIL.exec(cleanText(text)) ?? [];
  if (linked === undefined) return bracketed ?? null;
  try {
    return decodeURIComponent(linked);
  } catch {
    return linked;
  }
}

/**
 * The reference of a transfer as it is stored and searched: letters and digits, in capitals, without the label "UTR". People copy
 * it with spaces, dashes, invisible characters and the label, or without, and it is the same transfer.
 */
export const normaliseReference = (typed: string): string =>
  typed
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "")
    .toUpperCase()
    .replace(/^UTR(?:NO(?=\d))?/, "");

/** The longest code that a buyer may enter. */
export const MAX_COUPON_CODE = 60;

/**
 * A coupon code in the form in which it is stored and compared: upper case, without white space and the invisible characters
 * that chat apps add to copied text.
 */
export const normaliseCouponCode = (typed: string): string => typed.replace(/[\s\p{Cf}]/gu, "").toUpperCase();

/** Characters that end or change the host of an address, or that a parser of URLs reads as something else. */
const NO_DOMAIN = /[\s/\\:?#@[\]%<>^|]/;

/**
 * The form in which an email address is stored and compared: lower case, its domain in Punycode, without invisible
 * characters; of "Asha <asha@example.com>" and of a mailto: link the address. What is no address stays none.
 */
export function normaliseEmail(typed: string): string {
  const email = searchKey(pastedEmail(typed) ?? typed);
  const at = email.lastIndexOf("@") + 1;
  const domain = email.slice(at);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the characters of ASCII
  if (at === 0 || /^[\x00-\x7f]*$/.test(domain) || NO_DOMAIN.test(domain)) return email;
  const url = `http://${domain}`;
  return URL.canParse(url) ? email.slice(0, at) + new URL(url).hostname : email;
}

/** As zod checks an email, but the last part of a domain may be Punycode, which has digits and hyphens. */
export const EMAIL_PATTERN =
  /^(?:[a-z0-9_'+-]+\.)*[a-z0-9_'+-]*[a-z0-9_+-]@(?:[a-z0-9][a-z0-9-]*\.)+(?:[a-z]{2,}|xn--[a-z0-9-]+)$/i;

/**
 * The address of a shared sign-in. It stays as it was typed, because its service may tell capitals apart, unless it is no address
 * until it is normalised.
 */
export function signInAddress(typed: string): string {
  const clean = cleanText(typed);
  const email = normaliseEmail(typed);
  return EMAIL_PATTERN.test(clean) || !EMAIL_PATTERN.test(email) ? clean : email;
}

/** What somebody searches, without joiners. An address is one in the form in which addresses are stored. */
export function searchedText(typed: string): string {
  const email = normaliseEmail(typed);
  return EMAIL_PATTERN.test(email) ? email : cleanText(typed.replaceAll("\0", "")).replace(JOINERS, "");
}

/** As many as an address or a session code may have. */
export const MAX_SEARCH_CHARACTERS = 500;

/** Why a text cannot be searched; null: it can, or it is blank. */
export function searchProblem(
  typed: string,
  most: number = MAX_SEARCH_CHARACTERS,
): "invisible" | "too-long" | null {
  if (typed.trim() === "") return null;
  const { length } = searchedText(typed);
  if (length === 0) return "invisible";
  return length > most ? "too-long" : null;
}

/**
 * The number of typing mistakes between two words: a missing, added or wrong letter, or two neighbouring letters in the
 * wrong order (optimal string alignment distance).
 */
export function countMistakes(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(substituted, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) least = Math.min(least, (beforePrevious[j - 2] ?? 0) + 1);
      current.push(least);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}
