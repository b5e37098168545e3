import type { MailKinds, ShopFacts } from "#core/mail/mail-templates.ts";
import { formatPaise } from "#core/money.ts";
import { UNCAPTURED_RETURNS } from "#core/purchases/refund-reasons.ts";
import { MailLayout } from "./mail-layout.tsx";
import { Paragraph } from "./mail-text.tsx";

type Facts = MailKinds["payment-not-taken"];

export const paymentNotTakenSubject = ({ amountPaise, toolName }: Facts) =>
  `We didn’t take your payment of ${formatPaise(amountPaise)} for ${toolName}`;

export function PaymentNotTakenMail({ facts, shop }: { facts: Facts; shop: ShopFacts }) {
  const { toolName, amountPaise, reason } = facts;
  const amount = formatPaise(amountPaise);
  return (
    <MailLayout
      shop={shop}
      title={`We didn’t take your ${amount}`}
      preview={`For ${toolName}: ${reason}`}
      because={`you started a payment at ${shop.name}`}
    >
      <Paragraph>
        Your bank approved a payment of {amount} for {toolName}, but we didn’t take it. {reason}
      </Paragraph>
      <Paragraph>
        If the amount has left your account, your bank returns it automatically, {UNCAPTURED_RETURNS}. You
        don’t need to do anything.
      </Paragraph>
    </MailLayout>
  );
}
