/** What each kind of mail needs. Addresses of pages are absolute. */
export interface MailKinds {
  "password-reset": { resetUrl: string; validMinutes: number };
  "payment-refunded": { toolName: string; amountPaise: number; reason: string };
  "payment-not-taken": { toolName: string; amountPaise: number; reason: string };
}

export type MailKind = keyof MailKinds;

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
