/** What each kind of mail needs. Addresses of pages are absolute. */
export interface MailKinds {
  "password-reset": { resetUrl: string; validMinutes: number };
  "payment-refunded": { toolName: string; amountPaise: number; reason: string };
  "payment-not-taken": { toolName: string; amountPaise: number; reason: string };
}

export type MailKind = keyof MailKinds;

/** Mails whose link acts for the account: whoever can read one in the outbox can use it. */
export const KINDS_WITH_SECRET_LINK: ReadonlySet<string> = new Set<MailKind>(["password-reset"]);

/** Turns a kind of mail and its facts into words. Pure: no sending, no secrets beyond the link it is given. */
export interface MailTemplates {
  render<Kind extends MailKind>(
    kind: Kind,
    facts: MailKinds[Kind],
  ): Promise<{ subject: string; html: string; text: string }>;
}

/** Hands one message to a mail server. @throws Error when it was not taken over */
export interface MailTransport {
  send(message: { to: string; subject: string; html: string; text: string }): Promise<void>;
}
