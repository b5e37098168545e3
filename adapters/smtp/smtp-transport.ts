import { createTransport } from "nodemailer";
import type { MailTransport } from "#core/mail/mail-templates.ts";

const TIMEOUT = 20_000;

export interface SmtpOptions {
  /** smtp://user:password@host:587 or smtps://…:465 */
  url: string;
  /** The sender, such as `Daypass <shop@example.com>`. */
  from: string;
}

/** Hands mail to the owner's mail server. A port without TLS is upgraded when the server offers it. */
export function createSmtpTransport({ url, from }: SmtpOptions): MailTransport {
  const transporter = createTransport({
    url,
    connectionTimeout: TIMEOUT,
    greetingTimeout: TIMEOUT,
    socketTimeout: TIMEOUT,
  });
  return {
    async send({ to, subject, html, text }) {
      await transporter.sendMail({ from, to: { name: "", address: to }, subject, html, text });
    },
  };
}
