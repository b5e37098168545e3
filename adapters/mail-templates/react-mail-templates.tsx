import { render, toPlainText } from "@react-email/render";
import type { ExampleDetails, MailKind, MailTemplates, RenderedMail } from "#core/mail/mail-templates.ts";
import type { FilledMail, MailTemplate } from "./mail-template.tsx";
import { accountDeleted } from "./mails/account-deleted.tsx";
import { accountTakenOver } from "./mails/account-taken-over.tsx";
import { backInStock } from "./mails/back-in-stock.tsx";
import { backupOverdue } from "./mails/backup-overdue.tsx";
import { codeReported } from "./mails/code-reported.tsx";
import { codesUsedUp } from "./mails/codes-used-up.tsx";
import { credentialMissing } from "./mails/credential-missing.tsx";
import { disputeOpened } from "./mails/dispute-opened.tsx";
import { giveawayWon } from "./mails/giveaway-won.tsx";
import { googleLinked } from "./mails/google-linked.tsx";
import { passAssigned } from "./mails/pass-assigned.tsx";
import { passwordChanged } from "./mails/password-changed.tsx";
import { passwordReset } from "./mails/password-reset.tsx";
import { paymentChargedBack } from "./mails/payment-charged-back.tsx";
import { paymentNotTaken } from "./mails/payment-not-taken.tsx";
import { paymentRefunded } from "./mails/payment-refunded.tsx";
import { purchaseReceipt } from "./mails/purchase-receipt.tsx";
import { testMail } from "./mails/test-mail.tsx";

/** Every kind of mail. */
export const TEMPLATES: { [Kind in MailKind]: MailTemplate<Kind> } = {
  "password-reset": passwordReset,
  "password-changed": passwordChanged,
  "account-taken-over": accountTakenOver,
  "account-deleted": accountDeleted,
  "google-linked": googleLinked,
  "purchase-receipt": purchaseReceipt,
  "pass-assigned": passAssigned,
  "payment-refunded": paymentRefunded,
  "payment-not-taken": paymentNotTaken,
  "payment-charged-back": paymentChargedBack,
  "dispute-opened": disputeOpened,
  "back-in-stock": backInStock,
  "giveaway-won": giveawayWon,
  "codes-used-up": codesUsedUp,
  "backup-overdue": backupOverdue,
  "code-reported": codeReported,
  "credential-missing": credentialMissing,
  "test-mail": testMail,
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
  render: (kind, facts, { shop, language }) => renderMail(TEMPLATES[kind].fill(facts, shop, language)),
  async renderExample(kind, details) {
    return isMailKind(kind) ? await renderExampleOf(TEMPLATES[kind], details) : null;
  },
};

function isMailKind(kind: string): kind is MailKind {
  return Object.hasOwn(TEMPLATES, kind);
}

function renderExampleOf<Kind extends MailKind>(template: MailTemplate<Kind>, details: ExampleDetails) {
  return renderMail(template.fill(template.example(details), details.shop, details.language));
}

async function renderMail({ subject, element }: FilledMail): Promise<RenderedMail> {
  const html = await render(element);
  return { subject, html, text: toPlainText(html, PLAIN_TEXT) };
}
