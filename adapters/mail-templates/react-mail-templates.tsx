import { render, toPlainText } from "@react-email/render";
import type { ReactElement } from "react";
import type { MailKind, MailKinds, MailTemplates } from "#core/mail/mail-templates.ts";
import { PasswordResetMail, passwordResetSubject } from "./password-reset-mail.tsx";
import { PaymentNotTakenMail, paymentNotTakenSubject } from "./payment-not-taken-mail.tsx";
import { PaymentRefundedMail, paymentRefundedSubject } from "./payment-refunded-mail.tsx";

type Writers = { [Kind in MailKind]: (facts: MailKinds[Kind]) => { subject: string; mail: ReactElement } };

const writers: Writers = {
  "password-reset": (facts) => ({ subject: passwordResetSubject, mail: <PasswordResetMail {...facts} /> }),
  "payment-refunded": (facts) => ({
    subject: paymentRefundedSubject(facts),
    mail: <PaymentRefundedMail {...facts} />,
  }),
  "payment-not-taken": (facts) => ({
    subject: paymentNotTakenSubject(facts),
    mail: <PaymentNotTakenMail {...facts} />,
  }),
};

/** The shop's mails, written with React Email; the plain text is made from the same words. */
export const reactMailTemplates: MailTemplates = {
  async render(kind, facts) {
    const { subject, mail } = writers[kind](facts);
    const html = await render(mail);
    return { subject, html, text: toPlainText(html) };
  },
};
