/** The first character of a name in upper case. An emoji or a letter with its accent is one character. */
export function initialOf(name: string): string {
  const text = name.trim();
  // `Intl` takes 50 ms to load on a slow phone, and most names begin with a letter that is whole by itself.
  const [letter] = /^[\p{L}\p{N}](?!\p{M}|\u200d)/u.exec(text) ?? [];
  return (letter ?? firstGrapheme(text)).toUpperCase();
}

function firstGrapheme(text: string): string {
  const [first] = new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text);
  return first?.segment ?? "";
}
