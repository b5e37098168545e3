import type { MailKinds, ShopFacts } from "#core/mail/mail-templates.ts";
import { MailLayout } from "./mail-layout.tsx";
import { Paragraph, StrongButton } from "./mail-text.tsx";

export const passwordChangedSubject = "Your password was changed";

export function PasswordChangedMail({
  facts,
  shop,
}: {
  facts: MailKinds["password-changed"];
  shop: ShopFacts;
}) {
  return (
    <MailLayout
      shop={shop}
      title={passwordChangedSubject}
      preview="If it was you, there is nothing to do."
      because={`you have an account at ${shop.name}`}
    >
      <Paragraph>
        The password of your account {facts.email} was just changed. All other browsers were signed out.
      </Paragraph>
      <Paragraph>
        If it was you, there is nothing to do. If it wasn’t, please set a new password and contact us right
        away.
      </Paragraph>
      <StrongButton href={`${shop.origin}/forgot-password`}>Set a new password</StrongButton>
    </MailLayout>
  );
}
