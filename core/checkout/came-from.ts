/** As the database checks it. */
const MAX_CHARACTERS = 64;

/**
 * Where a buyer came from, as it is stored: one line of at most 64 characters, without invisible ones. Null: nothing is left, or
 * it may be an e-mail address.
 */
export function cleanCameFrom(text: string): string | null {
  const clean = text
    .replace(/\s+/g, " ")
    .replace(/[\p{C}\p{Default_Ignorable_Code_Point}]/gu, "")
    .normalize("NFC")
    .trim();
  // "＠" is the wide form of other keyboards; "%40" remains of a link that was encoded twice.
  if (/[@＠]|%40/.test(clean)) return null;
  // By whole characters, so that no half of a surrogate pair remains.
  return [...clean].slice(0, MAX_CHARACTERS).join("").trimEnd() || null;
}
