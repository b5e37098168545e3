import type { StorePage, StoreSettings } from "../catalog/store-settings.server.ts";
import type { StoreConfig } from "../context.ts";
import type { PaymentGateway } from "../payments/payment-gateway.ts";

/** test: payments go through the sandbox; not-set-up: nobody can pay. */
export type PaymentMode = "live" | "test" | "not-set-up";

/** What only the owner can know, with the setting that stores the confirmation and the action in the audit log. */
export const CONFIRMATIONS = {
  /** They may resell what the shop lists. */
  resale: { key: "resale-acknowledged", action: "resale.acknowledged" },
  /** The shop is backed up in another way. */
  backup: { key: "backup-confirmed", action: "backup.confirmed" },
  /** The claims that the shop shows are true, although they are the demo's. */
  claims: { key: "claims-confirmed", action: "claims.confirmed" },
  /** The shop keeps the name that it came with. */
  name: { key: "name-confirmed", action: "name.confirmed" },
  /** The texts of the pages are right, although they are the demo's. */
  texts: { key: "texts-confirmed", action: "texts.confirmed" },
  /** A test mail of the shop has arrived. */
  "test-mail": { key: "test-mail-confirmed", action: "test-mail.confirmed" },
} as const;

export type Confirmation = keyof typeof CONFIRMATIONS;

/** One thing that is left to do before a shop sells to real buyers. */
export type ChecklistItem =
  | { id: "payments"; mode: Exclude<PaymentMode, "live"> }
  /** `missing`: the shop shows no number; `demo`: it shows a placeholder of the demo. */
  | { id: "support-numbers"; problem: "missing" | "demo"; setByVariable: boolean }
  /** The shop has the name that it came with. */
  | { id: "name" }
  /** Pages without a text of the owner; `areDemo`: they show the demo's. */
  | { id: "texts"; pages: StorePage[]; areDemo: boolean }
  /** The admin still has the password of the first start or of a reset. */
  | { id: "own-password" }
  /** The admin's own password would be refused as a new one. */
  | { id: "weak-password" }
  /** `waiting`: mails that are not sent. */
  | { id: "mail"; waiting: number }
  /** No admin has confirmed that a test mail arrived. `last`: what became of the last one; null: there is none. */
  | { id: "test-mail"; last: TestMail | null }
  | { id: "first-tool" }
  /** The shop has no active access code, and its tools need some or are not there yet. */
  | { id: "access-codes" }
  | { id: "resale" }
  /** The claims of the demo that the shop shows, such as "10K+ users". */
  | { id: "claims"; claims: string[] }
  | { id: "deals-channel"; setByVariable: boolean }
  /** There is no verified backup of the last 48 hours. */
  | { id: "backup" };

export interface TestMail {
  status: "queued" | "sent" | "failed";
  recipient: string;
}

export function paymentModeOf(gateway: PaymentGateway | null): PaymentMode {
  if (gateway === null) return "not-set-up";
  return gateway.testMode ? "test" : "live";
}

/** The demo's numbers have zeros after India's country code. No real number has. */
const DEMO_NUMBER = /^\+?910{9}\d$/;
const DEMO_LINK = "https://example.com/";
/** The claims of the demo that can be wrong. Everybody may offer support at all hours. */
const DEMO_CLAIMS: ReadonlySet<string> = new Set([
  "4.9/5 average rating",
  "10K+ users",
  "50+ tools",
  "99% satisfaction",
]);

const PAGES = ["terms", "refunds", "privacy", "contact"] as const satisfies StorePage[];
/** How the demo's texts begin, also as older demos wrote them. */
const DEMO_TEXTS: Record<StorePage, readonly string[]> = {
  terms: ["This is a demo shop.", "यह एक डेमो दुकान है।"],
  refunds: [
    "If a payment goes through and we cannot give you access, we refund it automatically to the account",
    "अगर पेमेंट हो जाए और हम ऐक्सेस न दे पाएँ, तो पैसे अपने आप उसी खाते या कार्ड में वापस जाते हैं",
  ],
  privacy: [
    "We store your email address, your name and your purchases, because a pass needs an owner.",
    "हम आपका ईमेल पता, नाम और खरीदारियाँ रखते हैं, क्योंकि पास किसी के नाम होना चाहिए।",
  ],
  contact: [
    "Chat with us on WhatsApp. We answer every day.",
    "हमसे WhatsApp पर चैट करें। हम हर दिन जवाब देते हैं।",
    "Write to us on WhatsApp: the links are at the bottom of",
  ],
};

export interface ShopSetup {
  hasTools: boolean;
  needsAccessCodes: boolean;
  paymentMode: PaymentMode;
  settings: Pick<StoreSettings, "claims" | "supportPhones" | "dealsChannel">;
  variables: Pick<StoreConfig, "supportPhones" | "dealsChannelUrl">;
  hasDefaultName: boolean;
  /** The owner's texts of each page, in all languages. */
  texts: Record<StorePage, readonly string[]>;
  hasOwnPassword: boolean;
  hasWeakPassword: boolean;
  /** null: a mail server is set. */
  mailsWaiting: number | null;
  lastTestMail: TestMail | null;
  hasRecentBackup: boolean;
  confirmed: Record<Confirmation, boolean>;
}

/** What is left to do, the most urgent first. */
export function findOpenItems(setup: ShopSetup): ChecklistItem[] {
  const { paymentMode, settings, variables, mailsWaiting, confirmed } = setup;
  const items: ChecklistItem[] = [];
  if (paymentMode !== "live") items.push({ id: "payments", mode: paymentMode });
  if (!setup.hasTools) items.push({ id: "first-tool" });
  if (setup.needsAccessCodes) items.push({ id: "access-codes" });
  if (!confirmed.resale) items.push({ id: "resale" });
  const problem = findPhoneProblem(settings.supportPhones);
  if (problem !== null) {
    items.push({ id: "support-numbers", problem, setByVariable: variables.supportPhones !== null });
  }
  if (setup.hasDefaultName && !confirmed.name) items.push({ id: "name" });
  items.push(...findOpenTexts(setup));
  if (!setup.hasOwnPassword) items.push({ id: "own-password" });
  else if (setup.hasWeakPassword) items.push({ id: "weak-password" });
  if (mailsWaiting !== null) items.push({ id: "mail", waiting: mailsWaiting });
  else if (!confirmed["test-mail"]) items.push({ id: "test-mail", last: setup.lastTestMail });
  const claims = settings.claims
    .map(({ value, label }) => `${value} ${label}`)
    .filter((claim) => DEMO_CLAIMS.has(claim));
  if (claims.length > 0 && !confirmed.claims) items.push({ id: "claims", claims });
  if (settings.dealsChannel?.url.startsWith(DEMO_LINK)) {
    items.push({ id: "deals-channel", setByVariable: variables.dealsChannelUrl !== null });
  }
  if (!setup.hasRecentBackup && !confirmed.backup) items.push({ id: "backup" });
  return items;
}

/** Missing texts first: the demo's texts may stay when the owner confirms them. */
function findOpenTexts({ texts, confirmed }: ShopSetup): ChecklistItem[] {
  const missing = PAGES.filter((page) => texts[page].length === 0);
  if (missing.length > 0) return [{ id: "texts", pages: missing, areDemo: false }];
  const demo = PAGES.filter((page) =>
    texts[page].some((text) => DEMO_TEXTS[page].some((start) => text.startsWith(start))),
  );
  return demo.length > 0 && !confirmed.texts ? [{ id: "texts", pages: demo, areDemo: true }] : [];
}

function findPhoneProblem(phones: StoreSettings["supportPhones"]): "missing" | "demo" | null {
  if (phones.length === 0) return "missing";
  return phones.some(({ number }) => DEMO_NUMBER.test(number)) ? "demo" : null;
}
