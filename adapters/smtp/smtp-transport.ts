import { isIP } from "node:net";
import { promisify } from "node:util";
import { createTransport } from "nodemailer";
import MimeNode from "nodemailer/lib/mime-node";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import SMTPTransport from "nodemailer/lib/smtp-transport";
import { z } from "zod";
import { MailRefusedError, type MailTransport } from "#core/mail/mail-templates.ts";

/** How long the server may be silent: when it is connected to, before it greets, and after each command. */
const SILENCE_MS = 20_000;
/** How long one mail may take altogether. Shorter than the lease of a mail, so that nobody else sends it meanwhile. */
const DEADLINE_MS = 2 * 60_000;

export interface SmtpOptions {
  /** smtp://user:password@host:587 or smtps://…:465 */
  url: string;
  /** The sender: an address, or a name and an address such as `Daypass <shop@example.com>`. */
  from: string;
  /** Shorter in tests. */
  silenceMs?: number;
  deadlineMs?: number;
}

/**
 * Sends mail through the owner's mail server. A connection without TLS is upgraded when the server offers it. TLS is
 * required when the URL has credentials and the server is on another machine: when the server offers none, sending
 * fails before the credentials are sent.
 */
export function createSmtpTransport({
  url,
  from,
  silenceMs = SILENCE_MS,
  deadlineMs = DEADLINE_MS,
}: SmtpOptions): MailTransport {
  const transporter = createTransport(optionsOf(url, silenceMs));
  return {
    async send({ to, senderName, unsubscribeUrl = null, subject, html, text }) {
      const addresses = { from: withName(from, senderName), to: { name: "", address: to } };
      const signal = AbortSignal.timeout(deadlineMs);
      try {
        await transporter.sendMail({
          ...addresses,
          ...unsubscribing(unsubscribeUrl),
          subject,
          html,
          text,
          signal,
        });
      } catch (error) {
        throw refusalOf(error) ?? error;
      }
    },
  };
}

/** The header by which mail programs offer one press, which posts to the URL (RFC 8058). */
const unsubscribing = (url: string | null) =>
  url !== null && {
    headers: { "List-Unsubscribe": `<${url}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
  };

const optionsOf = (url: string, silenceMs: number) => ({
  url: requiresTls(url) ? withRequiredTls(url) : url,
  dnsTimeout: silenceMs,
  connectionTimeout: silenceMs,
  greetingTimeout: silenceMs,
  socketTimeout: silenceMs,
});

/** What the mail server refuses, or null: it cannot be used at all; and its answer or the reason. */
export interface MailProblem {
  refused: "sign-in" | "sender" | null;
  reason: string;
}

/** Names the sender. Nodemailer has no other way to send a command of one's own than as a way to sign in. */
const NAME_SENDER = "MAIL-FROM";

/**
 * Connects to the mail server as for a mail, signs in where the URL has credentials, names the sender, and sends nothing.
 *
 * @returns null: it works
 */
export async function checkMailServer({
  url,
  from,
  silenceMs = SILENCE_MS,
}: Omit<SmtpOptions, "deadlineMs">): Promise<MailProblem | null> {
  // The transport reads the address and its query.
  const { options } = new SMTPTransport(optionsOf(url, silenceMs));
  const sender = new MimeNode("text/plain").setHeader("from", from).getEnvelope().from;
  const connection = new SMTPConnection({
    ...options,
    customAuth: {
      [NAME_SENDER]: async ({ sendCommand }) => {
        const { status, response } = await sendCommand(`MAIL FROM:<${sender || ""}>`);
        if (status !== 250) throw new Error(response);
      },
    },
  });
  const lost = new Promise<never>((_, reject) => {
    connection.on("error", reject);
    connection.once("end", () => reject(new Error("the server ended the connection")));
  });
  const connect = promisify(connection.connect.bind(connection));
  const signIn = promisify(connection.login.bind(connection));
  let step: MailProblem["refused"] = null;
  const talk = async () => {
    await connect();
    step = "sign-in";
    if (options.auth && connection.allowsAuth) await signIn(options.auth);
    step = "sender";
    await signIn({ method: NAME_SENDER });
    connection.quit();
  };
  try {
    await Promise.race([talk(), lost]);
    return null;
  } catch (error) {
    connection.close();
    const { code, message } = smtpErrorSchema.catch({ message: "no reason was given" }).parse(error);
    return { refused: code === "EAUTH" ? step : null, reason: message.split("\n")[0] ?? "" };
  }
}

/** A sender without a name gets `name`. */
function withName(from: string, name: string): string | { name: string; address: string } {
  const [, address] = /^\s*<?\s*([^\s<>]+@[^\s<>]+?)\s*>?\s*$/.exec(from) ?? [];
  return address === undefined ? from : { name, address };
}

const smtpErrorSchema = z.object({
  message: z.string(),
  code: z.string().optional(),
  command: z.string().optional(),
  responseCode: z.number().optional(),
});

/** The server closes the connection after this response. */
const SERVICE_NOT_AVAILABLE = 421;

/**
 * Whether an error is about one mail. Nodemailer reports a refused sender or recipient as EENVELOPE and a refused text as
 * EMESSAGE; all other codes are about the connection. A refused sender is a matter of the settings, not of the mail. Only
 * the refusal of a recipient is taken as permanent: a refused text may be a limit of the day.
 *
 * @returns null when it is about the server
 */
function refusalOf(error: unknown): MailRefusedError | null {
  const parsed = smtpErrorSchema.safeParse(error);
  if (!parsed.success) return null;
  const { message, code, command, responseCode } = parsed.data;
  const isAboutSender = command === "MAIL FROM" || message.startsWith("Invalid sender");
  if (responseCode === SERVICE_NOT_AVAILABLE || (code === "EENVELOPE" && isAboutSender)) return null;
  if (code !== "EENVELOPE" && code !== "EMESSAGE") return null;
  const isAboutRecipient = command === "RCPT TO" || command === "API";
  return new MailRefusedError(message, {
    isPermanent: isAboutRecipient && (responseCode === undefined || responseCode >= 500),
  });
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
