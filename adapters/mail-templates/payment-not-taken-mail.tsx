import { Text } from "@react-email/components";
import type { MailKinds } from "#core/mail/mail-templates.ts";
import { formatPaise } from "#core/money.ts";
import { UNCAPTURED_RETURNS } from "#core/purchases/refund-reasons.ts";
import { MailLayout, paragraph } from "./mail-layout.tsx";

type Facts = MailKinds["payment-not-taken"];

export const paymentNotTakenSubject = ({ amountPaise, toolName }: Facts) =>
  `Your payment of ${formatPaise(amountPaise)} for ${toolName} was not taken`;

export function PaymentNotTakenMail({ toolName, amountPaise, reason }: Facts) {
  const amount = formatPaise(amountPaise);
  return (
    <MailLayout title={`Your ${amount} was not taken`} preview={`For ${toolName}: ${reason}`}>
      <Text style={paragraph}>
        Your bank approved a payment of {amount} for {toolName}, but we have not taken it. {reason}
      </Text>
      <Text style={paragraph}>
        If the amount has left your account, it comes back by itself, {UNCAPTURED_RETURNS}. You need not do
        anything.
      </Text>
    </MailLayout>
  );
}
