import { Text } from "@react-email/components";
import type { MailKinds } from "#core/mail/mail-templates.ts";
import { formatPaise } from "#core/money.ts";
import { BANKS_TAKE } from "#core/purchases/refund-reasons.ts";
import { MailLayout, paragraph } from "./mail-layout.tsx";

type Facts = MailKinds["payment-refunded"];

export const paymentRefundedSubject = ({ amountPaise, toolName }: Facts) =>
  `We are sending back ${formatPaise(amountPaise)} for ${toolName}`;

export function PaymentRefundedMail({ toolName, amountPaise, reason }: Facts) {
  const amount = formatPaise(amountPaise);
  return (
    <MailLayout title={`Your ${amount} is on its way back`} preview={`For ${toolName}: ${reason}`}>
      <Text style={paragraph}>
        Your payment of {amount} for {toolName} goes back to you. {reason}
      </Text>
      <Text style={paragraph}>It returns the way it came. {BANKS_TAKE} You need not do anything.</Text>
    </MailLayout>
  );
}
