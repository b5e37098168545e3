const HIDDEN = "•••";
const DELETED = "A former customer";

/** Characters as people count them: an accent or a part of an emoji is never cut off. */
const characters = (text: string) =>
  [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)].map(({ segment }) => segment);

const isLong = (word: string) => characters(word).length > 1;
const firstOf = (text: string) => characters(text)[0] ?? "";

/**
 * What everybody may see of a winner: "As••• K." of a name, "a•••@g•••.com" of an e-mail address. An account that is
 * deleted has neither. The name is used when there is one.
 */
export function maskWinner(account: { name: string; email: string; deletedAt: Date | null }): string {
  if (account.deletedAt !== null) return DELETED;
  const name = account.name.trim();
  // Some services use the address as the name.
  return name === "" || name.includes("@") ? maskEmail(account.email) : maskName(name);
}

function maskName(name: string): string {
  const words = name.split(/\s+/);
  const [first = ""] = words;
  // At least one character stays hidden.
  const shown = characters(first).length > 2 ? characters(first).slice(0, 2).join("") : firstOf(first);
  const surname = words.length > 1 ? (words.at(-1) ?? "") : "";
  const last = isLong(surname) ? ` ${firstOf(surname)}.` : "";
  return `${isLong(first) ? shown : ""}${HIDDEN}${last}`;
}

function maskEmail(email: string): string {
  const at = email.lastIndexOf("@");
  const [local, host] = [email.slice(0, at), email.slice(at + 1)];
  const dot = host.lastIndexOf(".");
  return `${firstOf(local)}${HIDDEN}@${firstOf(host)}${HIDDEN}${dot > 0 ? host.slice(dot) : ""}`;
}
