/** The facts for each kind of mail. URLs are absolute. */
export interface MailKinds {
  "password-reset": { resetUrl: string; validMinutes: number };
  "account-taken-over": { email: string };
  "google-linked": { email: string };
  "payment-refunded": { toolName: string; amountPaise: number; reason: string };
  "payment-not-taken": { toolName: string; amountPaise: number; reason: string };
  /** `until`: when the pass ends, as text. */
  "giveaway-won": { toolName: string; until: string; toolUrl: string };
}

export type MailKind = keyof MailKinds;

/** Mails with a link that gives access to the account. */
export const KINDS_WITH_SECRET_LINK: ReadonlySet<string> = new Set<MailKind>(["password-reset"]);

/** Renders the text of a mail. */
export interface MailTemplates {
  render<Kind extends MailKind>(
    kind: Kind,
    facts: MailKinds[Kind],
  ): Promise<{ subject: string; html: string; text: string }>;
}

/** Delivers one message to a mail server. @throws Error when the server does not accept it */
export interface MailTransport {
  send(message: { to: string; subject: string; html: string; text: string }): Promise<void>;
}
