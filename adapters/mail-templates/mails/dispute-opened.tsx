import { formatPaise } from "#core/money.ts";
import { becauseOfOwner, MailLayout, Paragraph, StrongButton } from "../mail-layout.tsx";
import { EXAMPLE_TOOL, mailTemplate } from "../mail-template.tsx";

export const disputeOpened = mailTemplate({
  kind: "dispute-opened",
  subject: ({ amountPaise, toolName }) =>
    `Disputed payment: ${formatPaise(amountPaise)}${toolName === null ? "" : ` for ${toolName}`}`,
  example: ({ shop, dateIn }) => ({
    toolName: EXAMPLE_TOOL,
    paymentId: "pay_Example00000001",
    amountPaise: 14_900,
    reason: "The buyer says that nothing was delivered.",
    respondBy: dateIn(7),
    mustRefund: false,
    adminUrl: `${shop.origin}/admin`,
  }),
  Mail({ facts, shop, texts }) {
    const { toolName, paymentId, amountPaise, reason, respondBy, mustRefund, adminUrl } = facts;
    const amount = formatPaise(amountPaise);
    return (
      <MailLayout
        shop={shop}
        texts={texts}
        title={`A buyer disputes a payment of ${amount}`}
        preview={respondBy === null ? `Payment ${paymentId}` : `Answer by ${respondBy}.`}
        because={becauseOfOwner(shop)}
      >
        <Paragraph>
          The bank wants {amount} of payment {paymentId} back
          {toolName === null ? ", which this shop does not know" : `, paid for ${toolName}`}.{" "}
          {reason === null ? null : `Reason: ${reason}`}
        </Paragraph>
        <Paragraph>
          {mustRefund
            ? "The bank reports it as fraud. Please refund it: the payment provider leaves that to you."
            : "Please answer it in the dashboard of the payment provider. Until it is decided, the shop does not refund this payment."}
          {respondBy === null ? null : ` The last day to answer is ${respondBy}.`}
        </Paragraph>
        <StrongButton href={adminUrl}>Open the admin area</StrongButton>
      </MailLayout>
    );
  },
});
