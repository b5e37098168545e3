const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The first character of a name in upper case. An emoji or a letter with its accent is one character. */
export function initialOf(name: string): string {
  const [first] = segmenter.segment(name.trim());
  return first?.segment.toUpperCase() ?? "";
}
