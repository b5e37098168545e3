import { render, toPlainText } from "@react-email/render";
import type { ReactElement } from "react";
import type { MailKind, MailKinds, MailTemplates } from "#core/mail/mail-templates.ts";
import { AccountTakenOverMail, accountTakenOverSubject } from "./account-taken-over-mail.tsx";
import { GiveawayWonMail, giveawayWonSubject } from "./giveaway-won-mail.tsx";
import { GoogleLinkedMail, googleLinkedSubject } from "./google-linked-mail.tsx";
import { PasswordResetMail, passwordResetSubject } from "./password-reset-mail.tsx";
import { PaymentNotTakenMail, paymentNotTakenSubject } from "./payment-not-taken-mail.tsx";
import { PaymentRefundedMail, paymentRefundedSubject } from "./payment-refunded-mail.tsx";

type Templates = { [Kind in MailKind]: (facts: MailKinds[Kind]) => { subject: string; mail: ReactElement } };

const templates: Templates = {
  "password-reset": (facts) => ({ subject: passwordResetSubject, mail: <PasswordResetMail {...facts} /> }),
  "account-taken-over": (facts) => ({
    subject: accountTakenOverSubject,
    mail: <AccountTakenOverMail {...facts} />,
  }),
  "google-linked": (facts) => ({ subject: googleLinkedSubject, mail: <GoogleLinkedMail {...facts} /> }),
  "payment-refunded": (facts) => ({
    subject: paymentRefundedSubject(facts),
    mail: <PaymentRefundedMail {...facts} />,
  }),
  "payment-not-taken": (facts) => ({
    subject: paymentNotTakenSubject(facts),
    mail: <PaymentNotTakenMail {...facts} />,
  }),
  "giveaway-won": (facts) => ({ subject: giveawayWonSubject(facts), mail: <GiveawayWonMail {...facts} /> }),
};

/** The shop's mails, with React Email. The plain text is made from the HTML. */
export const reactMailTemplates: MailTemplates = {
  async render(kind, facts) {
    const { subject, mail } = templates[kind](facts);
    const html = await render(mail);
    return { subject, html, text: toPlainText(html) };
  },
};
