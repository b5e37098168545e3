/** "1 day", "7 days". */
export function formatDays(days: number): string {
  return days === 1 ? "1 day" : `${days} days`;
}

/** The text up to its first full stop that ends a sentence. */
export function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}
