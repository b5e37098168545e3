import { render, toPlainText } from "@react-email/render";
import type { ReactElement } from "react";
import {
  type MailKind,
  type MailKinds,
  type MailTemplates,
  purchaseMailSubject,
  type ShopFacts,
} from "#core/mail/mail-templates.ts";
import { AccountTakenOverMail, accountTakenOverSubject } from "./account-taken-over-mail.tsx";
import { CodeReportedMail, codeReportedSubject } from "./code-reported-mail.tsx";
import { CodesUsedUpMail, codesUsedUpSubject } from "./codes-used-up-mail.tsx";
import { CredentialMissingMail, credentialMissingSubject } from "./credential-missing-mail.tsx";
import { GiveawayWonMail, giveawayWonSubject } from "./giveaway-won-mail.tsx";
import { GoogleLinkedMail, googleLinkedSubject } from "./google-linked-mail.tsx";
import { PassAssignedMail } from "./pass-assigned-mail.tsx";
import { PasswordChangedMail, passwordChangedSubject } from "./password-changed-mail.tsx";
import { PasswordResetMail, passwordResetSubject } from "./password-reset-mail.tsx";
import { PaymentNotTakenMail, paymentNotTakenSubject } from "./payment-not-taken-mail.tsx";
import { PaymentRefundedMail, paymentRefundedSubject } from "./payment-refunded-mail.tsx";
import { PurchaseReceiptMail } from "./purchase-receipt-mail.tsx";
import { TestMail, testMailSubject } from "./test-mail.tsx";

interface Template<Kind extends MailKind> {
  subject: (facts: MailKinds[Kind]) => string;
  Mail: (props: { facts: MailKinds[Kind]; shop: ShopFacts }) => ReactElement;
}

const templates: { [Kind in MailKind]: Template<Kind> } = {
  "password-reset": { subject: () => passwordResetSubject, Mail: PasswordResetMail },
  "password-changed": { subject: () => passwordChangedSubject, Mail: PasswordChangedMail },
  "account-taken-over": { subject: () => accountTakenOverSubject, Mail: AccountTakenOverMail },
  "google-linked": { subject: () => googleLinkedSubject, Mail: GoogleLinkedMail },
  "purchase-receipt": {
    subject: (facts) => purchaseMailSubject("purchase-receipt", facts),
    Mail: PurchaseReceiptMail,
  },
  "pass-assigned": {
    subject: (facts) => purchaseMailSubject("pass-assigned", { ...facts, testMode: false }),
    Mail: PassAssignedMail,
  },
  "payment-refunded": { subject: paymentRefundedSubject, Mail: PaymentRefundedMail },
  "payment-not-taken": { subject: paymentNotTakenSubject, Mail: PaymentNotTakenMail },
  "codes-used-up": { subject: codesUsedUpSubject, Mail: CodesUsedUpMail },
  "giveaway-won": { subject: giveawayWonSubject, Mail: GiveawayWonMail },
  "code-reported": { subject: codeReportedSubject, Mail: CodeReportedMail },
  "credential-missing": { subject: credentialMissingSubject, Mail: CredentialMissingMail },
  "test-mail": { subject: () => testMailSubject, Mail: TestMail },
};

const line = { leadingLineBreaks: 1, trailingLineBreaks: 1 };

/** The plain text has a fact on each line: "Amount paid: ₹149". */
const PLAIN_TEXT: Parameters<typeof toPlainText>[1] = {
  wordwrap: false,
  selectors: [
    { selector: "a.brand", format: "anchor", options: { ignoreHref: true } },
    { selector: "h1", format: "heading", options: { uppercase: false } },
    { selector: "table.facts", format: "block", options: { leadingLineBreaks: 2, trailingLineBreaks: 2 } },
    { selector: "table.fact", format: "block", options: line },
    { selector: "td.name", format: "inlineSurround", options: { suffix: ": " } },
    { selector: "td.value", format: "inline" },
  ],
};

/** The shop's mails, with React Email. The plain text is made from the HTML. */
export const reactMailTemplates: MailTemplates = {
  async render(kind, facts, shop) {
    const { subject, Mail } = templates[kind];
    const html = await render(<Mail facts={facts} shop={shop} />);
    return { subject: subject(facts), html, text: toPlainText(html, PLAIN_TEXT) };
  },
};
