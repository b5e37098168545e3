/**
 * The order number that a text is: in any case, with or without spaces; null when it is none. Migration 0008 makes the numbers.
 */
export function parseOrderNumber(text: string): string | null {
  const number = text.replace(/[\s-]/g, "").toUpperCase();
  return /^[2-9A-HJKMNP-Z]{8}$/.test(number) ? number : null;
}
