import { formatPaise } from "#core/money.ts";
import { BANK_DAYS_MAXIMUM, refundMessage } from "#core/refund-reasons.ts";
import { MailLayout, Paragraph, TestPurchase } from "../mail-layout.tsx";
import { EXAMPLE_TOOL, mailTemplate } from "../mail-template.tsx";

export const paymentRefunded = mailTemplate({
  kind: "payment-refunded",
  subject: ({ amountPaise, toolName: tool, isHeld }, { t }) =>
    t(isHeld ? "Refund on hold: {amount} for {tool}" : "Refund started: {amount} for {tool}", {
      amount: formatPaise(amountPaise),
      tool,
    }),
  example: () => ({
    toolName: EXAMPLE_TOOL,
    amountPaise: 14_900,
    reason: refundMessage("out-of-stock"),
    testMode: false,
  }),
  Mail({ facts, shop, texts }) {
    const { t } = texts;
    const { toolName: tool } = facts;
    const amount = formatPaise(facts.amountPaise);
    return (
      <MailLayout
        shop={shop}
        texts={texts}
        title={t(facts.isHeld ? "Refund on hold" : "Refund started")}
        preview={t("{amount} for {tool}", { amount, tool })}
        because={t("You’re getting this email because you paid for a pass at {shop}.", { shop: shop.name })}
      >
        {facts.testMode ? <TestPurchase texts={texts} /> : null}
        <Paragraph>
          {t(
            facts.isHeld
              ? "We owe you a refund of {amount} for {tool}. {reason}"
              : "We’ve started a refund of {amount} for {tool}. {reason}",
            { amount, tool, reason: t(facts.reason) },
          )}
        </Paragraph>
        <Paragraph>
          {facts.isHeld
            ? t(
                "You disputed this payment at your bank, so the refund waits until the bank has decided. Then the money comes back from the bank or from us. You don’t need to do anything.",
              )
            : facts.reason === refundMessage("cancelled-and-given-back")
              ? t(
                  "You paid the shop directly, so it does not come from a payment company. If it has not arrived in a few days, please contact us.",
                )
              : t(
                  "The money goes back to where you paid from. Banks take 5 to {days} days to show it. You don’t need to do anything.",
                  { days: BANK_DAYS_MAXIMUM },
                )}
        </Paragraph>
      </MailLayout>
    );
  },
});
