import type { PassFacts, ShopFacts } from "#core/mail/mail-templates.ts";
import { MailLayout } from "./mail-layout.tsx";
import { Paragraph, StrongButton } from "./mail-text.tsx";

export const giveawayWonSubject = ({ toolName }: PassFacts) => `You won today’s giveaway: ${toolName}`;

export function GiveawayWonMail({ facts, shop }: { facts: PassFacts; shop: ShopFacts }) {
  const { toolName, until, toolUrl } = facts;
  return (
    <MailLayout
      shop={shop}
      title={`You won a pass for ${toolName}`}
      preview={`It’s ready and works until ${until}.`}
      because={`you claimed the daily giveaway at ${shop.name}`}
    >
      <Paragraph>
        You were the first to claim today’s giveaway. Your free pass for {toolName} is ready and works until{" "}
        {until}.
      </Paragraph>
      <StrongButton href={toolUrl}>Open {toolName}</StrongButton>
      <Paragraph>There’s nothing to pay, and the pass doesn’t renew automatically.</Paragraph>
    </MailLayout>
  );
}
