/**
 * The trigrams of an index need three characters. A shorter search finds only beginnings, which an index finds by the
 * start of a word.
 */
const FEWEST_FOR_SUBSTRINGS = 3;

/**
 * The pattern of a case-insensitive LIKE for what somebody searches. Null when it has no letter and no digit: it would
 * read every row, and finds nothing.
 */
export function searchPattern(q: string): string | null {
  if (!/[\p{L}\p{N}]/u.test(q)) return null;
  const escaped = q.replace(/[\\%_]/g, (character) => `\\${character}`);
  return [...q].length < FEWEST_FOR_SUBSTRINGS ? `${escaped}%` : `%${escaped}%`;
}

/** Fewer digits of an id would match all purchases of some minutes. */
const FEWEST_ID_DIGITS = 8;

/** The range of ids that begin like the searched text; null when it is not the beginning of an id. */
export function idRange(q: string): { from: string; to: string } | null {
  if (!/^[0-9a-f]{8}(?:-?[0-9a-f]{0,4}){0,4}[0-9a-f]{0,8}$/i.test(q)) return null;
  const digits = q.replaceAll("-", "").toLowerCase();
  if (digits.length < FEWEST_ID_DIGITS || digits.length > 32) return null;
  const format = (text: string) => text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return { from: format(digits.padEnd(32, "0")), to: format(digits.padEnd(32, "f")) };
}
