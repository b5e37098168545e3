/** Where Indian grouping has a comma: before the last three digits, and before each two in front of them. */
const GROUP_END = /\d(?=(?:\d\d)+\d$)/g;

/**
 * Formats an amount in whole paise: 14900 → "₹149", 14950 → "₹149.50", 14990000 → "₹1,49,900". Without `Intl`, which takes
 * 10 ms to load on a computer and 50 ms on a phone, while the page starts.
 */
export function formatPaise(paise: number): string {
  const amount = Math.abs(paise);
  const rupees = String(Math.floor(amount / 100)).replaceAll(GROUP_END, "$&,");
  const rest = amount % 100;
  return `₹${paise < 0 ? "-" : ""}${rupees}${rest === 0 ? "" : `.${String(rest).padStart(2, "0")}`}`;
}

/** A percentage of an amount in paise, rounded half up to whole paise. */
export function percentOf(paise: number, percent: number): number {
  return Math.floor((paise * percent + 50) / 100);
}

const RUPEES = /^₹?\s*(?:(\d+)|(\d{1,3}(?:,\d{2,3})+))(?:\.(\d{1,2}))?$/;

/** Reads rupees as a person types them ("149", "149.50", "₹1,49,900") into paise. @returns null for any other text */
export function parseRupees(text: string): number | null {
  const [, plain, grouped, decimals = ""] = RUPEES.exec(text.trim()) ?? [];
  const whole = plain ?? grouped?.replaceAll(",", "");
  if (whole === undefined) return null;
  const paise = Number(whole) * 100 + Number(decimals.padEnd(2, "0"));
  return Number.isSafeInteger(paise) ? paise : null;
}
