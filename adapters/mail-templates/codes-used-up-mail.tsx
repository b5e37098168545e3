import type { MailKinds, ShopFacts } from "#core/mail/mail-templates.ts";
import { MailLayout } from "./mail-layout.tsx";
import { Paragraph, StrongButton } from "./mail-text.tsx";

type Facts = MailKinds["codes-used-up"];

export const codesUsedUpSubject = ({ toolName, serverName }: Facts) =>
  `No codes left for ${toolName}, ${serverName}`;

export function CodesUsedUpMail({ facts, shop }: { facts: Facts; shop: ShopFacts }) {
  const { toolName, serverName, codesUrl } = facts;
  return (
    <MailLayout
      shop={shop}
      title={`No codes left for ${toolName}`}
      preview={`A buyer with a pass is waiting for a code for ${serverName}.`}
      because={`you run ${shop.name}`}
    >
      <Paragraph>
        A buyer with a pass for {toolName} asked for a code for {serverName}, but every code is in use. Once
        you add codes, the buyer can get one.
      </Paragraph>
      <StrongButton href={codesUrl}>Add access codes</StrongButton>
      <Paragraph>We email you about each server at most once a day.</Paragraph>
    </MailLayout>
  );
}
