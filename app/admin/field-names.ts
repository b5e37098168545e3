import { COUPON_FIELDS } from "#core/catalog/coupon-fields.ts";
import { changeNamesOf } from "#core/catalog/record-fields.ts";
import { TOOL_FIELDS } from "#core/catalog/tool-fields.ts";

const FIELD_NAMES: Readonly<Record<string, string>> = {
  ...changeNamesOf(COUPON_FIELDS),
  ...changeNamesOf(TOOL_FIELDS),
  toolSlugs: "Opened by passes for",
  names: "Opened by names",
  pageToolIds: "Other tools that open the page",
  toolSlug: "Tool",
  claimsAreExamples: "Claims are examples",
  accent: "Accent colour",
  since: "Since (year)",
  gstin: "GSTIN",
  supportPhones: "Support numbers",
  demoVideoUrl: "Demo video",
  giveawayToolSlug: "Giveaway tool",
  giveawayValidityDays: "Giveaway validity (days)",
  devices: "Browser extension",
  adminSessions: "Admin sign-in",
  idleHours: "Sign out after hours of inactivity",
  maxDays: "Sign out after days in any case",
  perUser: "Devices per buyer",
  releasesPer30Days: "Releases in 30 days",
  ipAddress: "IP address",
  method: "Signed in with",
  lastAt: "Last time",
  paidBackPaise: "Refunded",
  addedCount: "Entries added",
  changedCount: "Entries changed",
  notListed: "Entries not listed here",
  hi: "Hindi",
};

/** The name of a stored field for a person: "originalPricePaise" is "Original price". */
export function nameOfField(field: string): string {
  const known = Object.hasOwn(FIELD_NAMES, field) ? FIELD_NAMES[field] : undefined;
  if (known !== undefined) return known;
  const words = field
    .replace(/Paise$/, "")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll("-", " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
