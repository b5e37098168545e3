import { isIP } from "node:net";
import { createTransport } from "nodemailer";
import type { MailTransport } from "#core/mail/mail-templates.ts";

const TIMEOUT_MS = 20_000;

export interface SmtpOptions {
  /** smtp://user:password@host:587 or smtps://…:465 */
  url: string;
  /** The sender, such as `Daypass <shop@example.com>`. */
  from: string;
}

/**
 * Sends mail through the owner's mail server. A connection without TLS is upgraded when the server offers it. TLS is
 * required when the URL has credentials and the server is on another machine: when the server offers none, sending
 * fails before the credentials are sent.
 */
export function createSmtpTransport({ url, from }: SmtpOptions): MailTransport {
  const transporter = createTransport({
    url: requiresTls(url) ? withRequiredTls(url) : url,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  });
  return {
    async send({ to, subject, html, text }) {
      await transporter.sendMail({ from, to: { name: "", address: to }, subject, html, text });
    },
  };
}

function requiresTls(url: string): boolean {
  const { username, password, hostname } = new URL(url);
  return `${username}${password}` !== "" && !isLoopback(hostname);
}

/** Sets the option in the URL's query, because nodemailer prefers the query to options beside the URL. */
function withRequiredTls(url: string): string {
  const changed = new URL(url);
  changed.searchParams.set("requireTLS", "true");
  return changed.href;
}

function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}
