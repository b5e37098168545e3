import { isIP } from "node:net";
import { createTransport } from "nodemailer";
import type { MailTransport } from "#core/mail/mail-templates.ts";

const TIMEOUT = 20_000;

export interface SmtpOptions {
  /** smtp://user:password@host:587 or smtps://…:465 */
  url: string;
  /** The sender, such as `Daypass <shop@example.com>`. */
  from: string;
}

/**
 * Hands mail to the owner's mail server. A connection without TLS is upgraded when the server offers it. Where the URL
 * has a user or a password and the server is on another machine, TLS is required: sending fails, before the credentials
 * are sent, when the server offers none.
 */
export function createSmtpTransport({ url, from }: SmtpOptions): MailTransport {
  const transporter = createTransport({
    url: mustEncrypt(url) ? withRequiredTls(url) : url,
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

function mustEncrypt(url: string): boolean {
  const { username, password, hostname } = new URL(url);
  return `${username}${password}` !== "" && !isLoopback(hostname);
}

/** In the URL's query, because nodemailer lets the query override the options beside the URL. */
function withRequiredTls(url: string): string {
  const changed = new URL(url);
  changed.searchParams.set("requireTLS", "true");
  return changed.href;
}

function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}
