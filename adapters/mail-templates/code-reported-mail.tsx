import type { MailKinds, ShopFacts } from "#core/mail/mail-templates.ts";
import { MailLayout } from "./mail-layout.tsx";
import { Paragraph, SmallPrint, StrongButton } from "./mail-text.tsx";

type Facts = MailKinds["code-reported"];

export const codeReportedSubject = ({ toolName, serverName }: Facts) =>
  `Reported: the code for ${serverName} of ${toolName}`;

export function CodeReportedMail({ facts, shop }: { facts: Facts; shop: ShopFacts }) {
  const { toolName, serverName, adminUrl } = facts;
  return (
    <MailLayout
      shop={shop}
      title="A buyer reports a code that doesn’t work"
      preview={`${serverName} of ${toolName}`}
      because={`you manage the tools at ${shop.name}`}
    >
      <Paragraph>
        A buyer says that the access code for {serverName} of {toolName} doesn’t work. Please check it. When
        you replace it, its buyers get the new code.
      </Paragraph>
      <StrongButton href={adminUrl}>Open the access codes</StrongButton>
      <SmallPrint>
        More reports of this code are counted in the admin area. We won’t email you about it again until the
        code changes.
      </SmallPrint>
    </MailLayout>
  );
}
