import type { MailKinds, ShopFacts } from "#core/mail/mail-templates.ts";
import { formatPaise } from "#core/money.ts";
import { BANKS_TAKE } from "#core/purchases/refund-reasons.ts";
import { MailLayout } from "./mail-layout.tsx";
import { Paragraph } from "./mail-text.tsx";

type Facts = MailKinds["payment-refunded"];

export const paymentRefundedSubject = ({ amountPaise, toolName }: Facts) =>
  `Refund started: ${formatPaise(amountPaise)} for ${toolName}`;

export function PaymentRefundedMail({ facts, shop }: { facts: Facts; shop: ShopFacts }) {
  const { toolName, amountPaise, reason } = facts;
  return (
    <MailLayout
      shop={shop}
      title="Refund started"
      preview={`${formatPaise(amountPaise)} for ${toolName}`}
      because={`you paid for a pass at ${shop.name}`}
    >
      <Paragraph>
        We’ve started a refund of {formatPaise(amountPaise)} for {toolName}. {reason}
      </Paragraph>
      <Paragraph>
        The money goes back to where you paid from. {BANKS_TAKE} You don’t need to do anything.
      </Paragraph>
    </MailLayout>
  );
}
