const counts = new Intl.NumberFormat("en-IN");

/** A whole number as India groups it: 1234567 → "12,34,567". */
export function formatCount(count: number): string {
  return counts.format(count);
}
