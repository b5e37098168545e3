import type { MailKinds, ShopFacts } from "#core/mail/mail-templates.ts";
import { MailLayout } from "./mail-layout.tsx";
import { Paragraph, SmallPrint, StrongButton } from "./mail-text.tsx";

type Facts = MailKinds["credential-missing"];

export const credentialMissingSubject = ({ toolName }: Facts) => `Buyers of ${toolName} get no sign-in`;

export function CredentialMissingMail({ facts, shop }: { facts: Facts; shop: ShopFacts }) {
  const { toolName, isAmbiguous, adminUrl } = facts;
  return (
    <MailLayout
      shop={shop}
      title={`Buyers of ${toolName} get no sign-in`}
      preview={isAmbiguous ? "Several credentials fit." : "There is no active credential."}
      because={`you manage the tools at ${shop.name}`}
    >
      <Paragraph>
        The page of {toolName} offers an email and a password, but buyers with a pass can’t get them.{" "}
        {isAmbiguous
          ? "Several credentials fit this tool, so none is shown. Please choose one in the tool’s form."
          : "No active credential fits this tool. Please activate or add one, or choose another in the tool’s form."}
      </Paragraph>
      <StrongButton href={adminUrl}>Open the credentials</StrongButton>
      <SmallPrint>We won’t email you about this tool again until it has a sign-in.</SmallPrint>
    </MailLayout>
  );
}
