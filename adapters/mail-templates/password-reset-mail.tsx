import type { MailKinds, ShopFacts } from "#core/mail/mail-templates.ts";
import { MailLayout } from "./mail-layout.tsx";
import { MailLink, Paragraph, SmallPrint, StrongButton } from "./mail-text.tsx";

export const passwordResetSubject = "Set a new password";

export function PasswordResetMail({ facts, shop }: { facts: MailKinds["password-reset"]; shop: ShopFacts }) {
  const { resetUrl, validMinutes } = facts;
  return (
    <MailLayout
      shop={shop}
      title="Set a new password"
      preview={`The link works once, for ${validMinutes} minutes.`}
      because={`a new password was requested for your account at ${shop.name}`}
    >
      <Paragraph>
        We received a request to reset your password. The link below works once, for {validMinutes} minutes.
      </Paragraph>
      <StrongButton href={resetUrl}>Set a new password</StrongButton>
      <SmallPrint>
        If the button doesn’t work, copy this address into your browser:
        <br />
        <span style={{ wordBreak: "break-all" }}>
          <MailLink href={resetUrl}>{resetUrl}</MailLink>
        </span>
      </SmallPrint>
      <Paragraph>
        If you didn’t ask for this, you don’t need to do anything. Your password stays the same.
      </Paragraph>
    </MailLayout>
  );
}
