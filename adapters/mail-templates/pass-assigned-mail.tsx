import type { MailKinds, ShopFacts } from "#core/mail/mail-templates.ts";
import { MailLayout } from "./mail-layout.tsx";
import { Paragraph, StrongButton } from "./mail-text.tsx";

export function PassAssignedMail({ facts, shop }: { facts: MailKinds["pass-assigned"]; shop: ShopFacts }) {
  const { toolName, until, toolUrl } = facts;
  return (
    <MailLayout
      shop={shop}
      title={`You have access to ${toolName}`}
      preview={until === null ? `A pass from ${shop.name}` : `Your pass works until ${until}.`}
      because={`you have an account at ${shop.name}`}
    >
      <Paragraph>
        {shop.name} has given you a pass for {toolName}.{" "}
        {until === null ? "It has since ended." : `It works until ${until}.`}
      </Paragraph>
      {until === null ? null : <StrongButton href={toolUrl}>Open {toolName}</StrongButton>}
      <Paragraph>There’s nothing to pay, and the pass doesn’t renew automatically.</Paragraph>
    </MailLayout>
  );
}
