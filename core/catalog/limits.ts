/** The limits of a tool's fields, in the catalogue file and in the admin's form. Lengths in characters. */
export const TOOL_LIMITS = {
  slug: 60,
  name: 80,
  description: 2000,
  category: 40,
  badge: 24,
  feature: 120,
  features: 50,
  optionLabel: 40,
  pricingOptions: 20,
  validityDays: 3650,
  availableStock: 1_000_000,
  serverName: 60,
  servers: 50,
  howToUseLine: 200,
  howToUse: 3,
  address: 500,
  pageNames: 100,
  pageTools: 100,
} as const;

/** The limits of an uploaded logo: the bytes of the file, and the pixels of each side. */
export const LOGO_LIMITS = { bytes: 200 * 1024, pixels: 2_000 } as const;

export const LOGO_TOO_LARGE = `The file is larger than ${LOGO_LIMITS.bytes / 1024} KB. Choose a smaller one.`;

/** The label of the deals channel without one of the owner. */
export const DEALS_CHANNEL = "Deals channel";

export const LOGO_UNKNOWN = "This is not a PNG or WebP file.";

/** The name of a stored logo, as in its address. Older versions also took SVG files, which stay until they are replaced. */
export const LOGO_NAME_PATTERN = /^[0-9a-f]{32}\.(?:png|webp|svg)$/;

export const STORE_LIMITS = {
  name: 60,
  claim: 20,
  headline: 60,
  benefit: 40,
  city: 60,
  label: 60,
  supportPhones: 2,
  devicesPerUser: 50,
  deviceReleases: 100,
  giveawayValidityDays: 30,
  adminIdleHours: 72,
  adminSessionDays: 30,
  /** A number as it is typed, with spaces and dashes. */
  typedPhone: 32,
  /** The characters of the terms and the other texts. */
  text: 20_000,
} as const;

/** Accent colours that the owner can choose. `app/ui/theme.css` has their tones; marigold is the default. */
export const ACCENTS = ["marigold", "coral", "mint", "sky", "lilac"] as const;
export type Accent = (typeof ACCENTS)[number];

export const DEFAULT_HEADLINE = "Premium tools, for just the days you need.";

/** The benefits that the purchase dialog names, unless the owner has set others. */
export const DEFAULT_BENEFITS = ["Premium access", "Unlimited usage", "24/7"] as const;

/** The label of a support number that has none of its own. */
export const supportChatLabel = (number: number): string => `Support chat ${number}`;

/** Whether it is such a label. Its number may belong to an earlier place. */
export const isSupportChatLabel = (label: string): boolean => /^Support chat \d+$/.test(label);

/** The number of a business that is registered for India's goods and services tax. */
export const GSTIN_PATTERN = /^\d{2}[A-Z]{5}\d{4}[A-Z][1-9A-Z]Z[0-9A-Z]$/;

/** A tool with fewer passes than this is about to sell out. */
export const LOW_STOCK = 5;

/** Keeps every amount in paise within a 32-bit integer. */
export const MAX_RUPEES = 10_000_000;
/** ₹1 is the smallest amount that the gateway accepts. */
export const SMALLEST_PRICE_PAISE = 100;

/** Lower-case letters and digits, parts joined by single hyphens. */
export const SLUG_PATTERN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** A number with + and the country code, as the chat links need it. */
export const PHONE_PATTERN = /^\+\d{8,15}$/;

/** Country codes never begin with 0, so these digits begin with one. Ten digits are a number without its country code. */
const DIGITS_WITH_COUNTRY = /^[1-9]\d{10,14}$/;

/**
 * A number as people type it, "+91 98765-43210", "0091 98765 43210" or "91 98765 43210", as it is stored. Any other text
 * is returned without its spaces and dashes.
 */
export function normalisePhone(typed: string): string {
  const compact = typed.replace(/[\s().\-\u2010-\u2014]/g, "").replace(/^00/, "+");
  return DIGITS_WITH_COUNTRY.test(compact) ? `+${compact}` : compact;
}

/**
 * The address that opens a chat with a support number.
 *
 * @param number with country code; all characters but digits are removed
 * @param text the first message of the chat
 */
export function chatUrl(number: string, text?: string): string {
  const url = new URL(`https://wa.me/${number.replace(/\D/g, "")}`);
  if (text) url.searchParams.set("text", text);
  return url.href;
}

/** Letters, digits, dots and hyphens only: other characters of a host could end a source in a policy, or be a wildcard. */
const FRAME_ORIGIN = /^https:\/\/[a-z0-9.-]+(?::\d+)?$/;

/** The origin that a page must allow to embed this address; null when it cannot be embedded. */
export function frameOriginOf(address: string): string | null {
  const origin = URL.canParse(address) ? new URL(address).origin : "";
  return FRAME_ORIGIN.test(origin) ? origin : null;
}

/** The video of the demo shop, a file of the shop itself. */
export const OWN_VIDEO = "/demo-video.webm";

/** Whether the text is an http or https address. Other schemes, such as javascript, could run in a buyer's browser. */
export function isWebAddress(address: string): boolean {
  return URL.canParse(address) && ["https:", "http:"].includes(new URL(address).protocol);
}

export const COUPON_LIMITS = { code: 40, usageLimit: 1_000_000 } as const;

/** The characters of a coupon code in upper case. */
export const COUPON_CODE_PATTERN = /^[A-Z0-9_-]+$/;

/** The services that the form of a shared credential lists. With 'Other' the admin types the name. */
export const SERVICES = ["Stealth Writer", "QuillBot", "Write Human", "Other"] as const;

/** The longest name of a service. */
export const SERVICE_LENGTH = 100;

const LINE_BREAKS = /[\p{Cc}\u2028\u2029]+/gu;

/** A text without line breaks and other control characters. */
export const toOneLine = (text: string): string => text.replace(LINE_BREAKS, " ").trim();

export const isOneLine = (text: string): boolean => toOneLine(text) === text;
