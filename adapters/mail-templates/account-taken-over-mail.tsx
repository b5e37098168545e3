import type { MailKinds, ShopFacts } from "#core/mail/mail-templates.ts";
import { MailLayout } from "./mail-layout.tsx";
import { Paragraph } from "./mail-text.tsx";

export const accountTakenOverSubject = "You now sign in with Google";

export function AccountTakenOverMail({
  facts,
  shop,
}: {
  facts: MailKinds["account-taken-over"];
  shop: ShopFacts;
}) {
  return (
    <MailLayout
      shop={shop}
      title={accountTakenOverSubject}
      preview="We removed the old password of your account."
      because={`you have an account at ${shop.name}`}
    >
      <Paragraph>
        You signed in with Google as {facts.email}. There was already an account with this address, but nobody
        had ever confirmed it. Google has confirmed that the address is yours, so the account is now yours.
      </Paragraph>
      <Paragraph>
        To keep it safe, we removed the old password and signed out every browser and extension that was using
        the account. Any passes in it are still there.
      </Paragraph>
      <Paragraph>
        Would you like a password as well? Choose “Forgot password?” when you sign in. If it wasn’t you who
        signed in with Google, please contact us right away.
      </Paragraph>
    </MailLayout>
  );
}
