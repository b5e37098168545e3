import type { MailKinds, ShopFacts } from "#core/mail/mail-templates.ts";
import { MailLayout } from "./mail-layout.tsx";
import { Paragraph } from "./mail-text.tsx";

export const testMailSubject = "Test email from your shop";

export function TestMail({ facts, shop }: { facts: MailKinds["test-mail"]; shop: ShopFacts }) {
  return (
    <MailLayout
      shop={shop}
      title={testMailSubject}
      preview="Your shop can send email."
      because={`you asked ${shop.name} for a test email`}
    >
      <Paragraph>
        You asked for this email in the admin area on {facts.sentAt}. It arrived, so receipts, password resets
        and refund notices reach your buyers too.
      </Paragraph>
      <Paragraph>If it was in your spam folder, check the SPF and DKIM records of your domain.</Paragraph>
    </MailLayout>
  );
}
