import type { MailKinds, ShopFacts } from "#core/mail/mail-templates.ts";
import { MailLayout } from "./mail-layout.tsx";
import { Paragraph } from "./mail-text.tsx";

export const googleLinkedSubject = "You can now sign in with Google";

export function GoogleLinkedMail({ facts, shop }: { facts: MailKinds["google-linked"]; shop: ShopFacts }) {
  return (
    <MailLayout
      shop={shop}
      title={googleLinkedSubject}
      preview="Your password still works."
      because={`you have an account at ${shop.name}`}
    >
      <Paragraph>
        Someone just signed in with Google as {facts.email}. From now on you can open your account with Google
        as well as with your password.
      </Paragraph>
      <Paragraph>
        If it was you, there is nothing to do. If it wasn’t, please change your password, sign out all other
        browsers on your account page, and contact us right away.
      </Paragraph>
    </MailLayout>
  );
}
