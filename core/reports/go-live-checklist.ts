import type { StoreSettings } from "../catalog/store-settings.server.ts";
import type { StoreConfig } from "../context.ts";
import type { PaymentGateway } from "../payments/payment-gateway.ts";

/** test: payments go through the sandbox; not-set-up: nobody can pay. */
export type PaymentMode = "live" | "test" | "not-set-up";

/** One thing that is left to do before a shop sells to real buyers. */
export type ChecklistItem =
  | { id: "payments"; mode: Exclude<PaymentMode, "live"> }
  /** `missing`: the shop shows no number; `demo`: it shows a placeholder of the demo. */
  | { id: "support-numbers"; problem: "missing" | "demo"; setByVariable: boolean }
  /** `waiting`: mails that are not sent. */
  | { id: "mail"; waiting: number }
  | { id: "first-tool" }
  /** The shop has no active access code, and its tools need some or are not there yet. */
  | { id: "access-codes" }
  | { id: "resale" }
  /** The claims of the demo that the shop shows, such as "10K+ users". */
  | { id: "claims"; claims: string[] }
  | { id: "deals-channel"; setByVariable: boolean }
  | { id: "backup" };

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

export interface ShopSetup {
  hasTools: boolean;
  needsAccessCodes: boolean;
  paymentMode: PaymentMode;
  settings: Pick<StoreSettings, "claims" | "supportPhones" | "dealsChannel">;
  variables: Pick<StoreConfig, "supportPhones" | "dealsChannelUrl">;
  /** null: a mail server is set. */
  mailsWaiting: number | null;
  confirmed: { resale: boolean; backup: boolean; claims: boolean };
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
  if (mailsWaiting !== null) items.push({ id: "mail", waiting: mailsWaiting });
  const claims = settings.claims
    .map(({ value, label }) => `${value} ${label}`)
    .filter((claim) => DEMO_CLAIMS.has(claim));
  if (claims.length > 0 && !confirmed.claims) items.push({ id: "claims", claims });
  if (settings.dealsChannel?.url.startsWith(DEMO_LINK)) {
    items.push({ id: "deals-channel", setByVariable: variables.dealsChannelUrl !== null });
  }
  if (!confirmed.backup) items.push({ id: "backup" });
  return items;
}

function findPhoneProblem(phones: StoreSettings["supportPhones"]): "missing" | "demo" | null {
  if (phones.length === 0) return "missing";
  return phones.some(({ number }) => DEMO_NUMBER.test(number)) ? "demo" : null;
}
