const rupees = new Intl.NumberFormat("en-IN", { maximumFractionDigits: 2, minimumFractionDigits: 2 });
const wholeRupees = new Intl.NumberFormat("en-IN", { maximumFractionDigits: 0 });

/** Formats an amount in paise: 14900 → "₹149", 14950 → "₹149.50", 14990000 → "₹1,49,900". */
export function formatPaise(paise: number): string {
  return `₹${(paise % 100 === 0 ? wholeRupees : rupees).format(paise / 100)}`;
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
