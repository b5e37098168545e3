import type { Language } from "#languages/languages.ts";
import type { RefundMessage } from "../refund-reasons.ts";

/** The facts for each kind of mail. URLs are absolute. */
export interface MailKinds {
  "password-reset": { resetUrl: string; validMinutes: number };
  "password-changed": { email: string };
  "account-taken-over": { email: string };
  /**
   * The last mail to a deleted account: some of the refunds that are not final, and the sum of all; amounts in paise. `byHand`:
   * the owner makes it.
   */
  "account-deleted": {
    openRefunds: readonly { toolName: string; amountPaise: number; byHand: boolean }[];
    openRefundsPaise: number;
  };
  "purchase-receipt": ReceiptFacts;
  "pass-assigned": Omit<PassFacts, "until"> & { until: string | null };
  "google-linked": { email: string };
  /** `isHeld`: the buyer disputes the payment, so the refund waits for the decision of the bank. */
  "payment-refunded": ReturnedPaymentFacts & { isHeld?: boolean };
  "payment-not-taken": ReturnedPaymentFacts;
  /** The bank has paid the buyer back in a dispute, so the pass has ended. */
  "payment-charged-back": Omit<ReturnedPaymentFacts, "reason">;
  "giveaway-won": PassFacts;
  /** `shopUrl`: the shop page of the tool. */
  "back-in-stock": { toolName: string; shopUrl: string };
  /** To the owner: the first report of an access code. */
  "code-reported": { toolName: string; serverName: string; adminUrl: string };
  /** To the owner: a tool with an active pass has no credential. `isAmbiguous`: because several fit. */
  "credential-missing": { toolName: string; isAmbiguous: boolean; adminUrl: string };
  "dispute-opened": DisputeFacts;
  "test-mail": { sentAt: string };
  /** To the owner. */
  "codes-used-up": { toolName: string; serverName: string; codesUrl: string };
  /** To the owner: no verified backup for 48 hours. `lastAt`: of the last one, as text; null: there is none. */
  "backup-overdue": { lastAt: string | null; reason: string | null; adminUrl: string };
}

/** `until`: when the pass ends, as text of `formatEnd`. */
export interface PassFacts {
  toolName: string;
  until: string;
  toolUrl: string;
}

/** A payment that is refunded, or that is left uncaptured. */
export interface ReturnedPaymentFacts {
  toolName: string;
  amountPaise: number;
  reason: RefundMessage;
  /** In test mode no money was charged. */
  testMode: boolean;
}

/** To the owner: a buyer wants a payment back from the bank. */
export interface DisputeFacts {
  /** null: the shop does not know the payment. */
  toolName: string | null;
  /** The gateway's id. */
  paymentId: string;
  amountPaise: number;
  /** In the gateway's words; null: it gives none. */
  reason: string | null;
  /** Until when the owner has to answer, as text; null: not reported. */
  respondBy: string | null;
  /** The bank reports fraud, and leaves the refund to the owner. */
  mustRefund: boolean;
  adminUrl: string;
}

export interface ReceiptFacts extends Omit<PassFacts, "until"> {
  orderNumber: string;
  /** The chosen pricing option; null: the tool had only one price. */
  optionLabel: string | null;
  validityDays: number;
  listPricePaise: number;
  discountPaise: number;
  couponCode: string | null;
  /** What was paid, with the fee on top or less the offer. */
  amountPaise: number;
  buyerFeePaise: number;
  offerPaise: number;
  /** As text. */
  paidAt: string;
  /** When a renewal starts, as text; null: the pass started when it was paid, or it has ended. */
  from: string | null;
  /** When the pass ends, as text; null: it has ended. */
  until: string | null;
  testMode: boolean;
}

export type MailKind = keyof MailKinds;

/** The mail by which an admin sees that mail arrives. */
export const TEST_MAIL = "test-mail" satisfies MailKind;

/** What every mail says about the shop. */
export interface ShopFacts {
  name: string;
  /** Without a trailing slash. */
  origin: string;
  /** Numbers with + and country code. */
  supportPhones: readonly { label: string; number: string }[];
  /** The page of the shop that says how to reach it; null: there is none. */
  contactUrl: string | null;
}

export interface RenderedMail {
  subject: string;
  html: string;
  text: string;
}

/** Mails with a link that gives access to the account. */
export const KINDS_WITH_SECRET_LINK: ReadonlySet<string> = new Set<MailKind>(["password-reset"]);

/** The last mail. Its row, which has the address, is deleted when the mail is sent or has failed. */
export const LAST_MAIL = "account-deleted" satisfies MailKind;

/** Mails about one purchase. They are rendered from its row when they are sent or read. */
const PURCHASE_MAIL_KINDS = ["purchase-receipt", "pass-assigned"] as const;
export type PurchaseMailKind = (typeof PURCHASE_MAIL_KINDS)[number];

export function isPurchaseMailKind(kind: string): kind is PurchaseMailKind {
  return PURCHASE_MAIL_KINDS.some((known) => known === kind);
}

/** The subjects of such mails, with a place for the tool. They are stored in English before the mail is rendered. */
export const PASS_ASSIGNED_SUBJECT = "You have access to {tool}";

export function receiptSubject({ testMode }: { testMode: boolean }) {
  return testMode ? "Test purchase: receipt for {tool}" : "Your receipt for {tool}";
}

/** Renders the text of a mail. Mails to the owner are in English only. */
export interface MailTemplates {
  render<Kind extends MailKind>(
    kind: Kind,
    facts: MailKinds[Kind],
    about: { shop: ShopFacts; language: Language },
  ): Promise<RenderedMail>;
  /** A mail with facts that are made up; null: there is no such kind. */
  renderExample(kind: string, details: ExampleDetails): Promise<RenderedMail | null>;
}

/** What the facts of an example are made from. */
export interface ExampleDetails {
  shop: ShopFacts;
  language: Language;
  /** A date as text, that number of days from now. */
  dateIn(days: number): string;
}

/** The mail server refuses this mail; it may accept others. */
export class MailRefusedError extends Error {
  override readonly name = "MailRefusedError";
  /** The recipient cannot get mail. Another attempt would be refused as well. */
  readonly isPermanent: boolean;

  constructor(message: string, options: { isPermanent: boolean }) {
    super(message);
    this.isPermanent = options.isPermanent;
  }
}

/**
 * Delivers one message to a mail server. `senderName` applies where the owner has set none.
 *
 * @throws MailRefusedError; any other error: the server is not available, or accepts no mail of this shop
 */
export interface MailTransport {
  send(message: RenderedMail & { to: string; senderName: string }): Promise<void>;
}
