import { formatPaise } from "#core/money.ts";
import { refundMessage, UNCAPTURED_RETURNS } from "#core/refund-reasons.ts";
import { MailLayout, Paragraph, TestPurchase } from "../mail-layout.tsx";
import { EXAMPLE_TOOL, mailTemplate } from "../mail-template.tsx";

export const paymentNotTaken = mailTemplate({
  kind: "payment-not-taken",
  subject: ({ amountPaise, toolName: tool }, { t }) =>
    t("We didn’t take your payment of {amount} for {tool}", { amount: formatPaise(amountPaise), tool }),
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
    const reason = t(facts.reason);
    return (
      <MailLayout
        shop={shop}
        texts={texts}
        title={t("We didn’t take your {amount}", { amount })}
        preview={t("For {tool}: {reason}", { tool, reason })}
        because={t("You’re getting this email because you started a payment at {shop}.", { shop: shop.name })}
      >
        {facts.testMode ? <TestPurchase texts={texts} /> : null}
        <Paragraph>
          {t("Your bank approved a payment of {amount} for {tool}, but we didn’t take it. {reason}", {
            amount,
            tool,
            reason,
          })}
        </Paragraph>
        <Paragraph>
          {t(
            "If the amount has left your account, your bank returns it automatically, {when}. You don’t need to do anything.",
            { when: t(UNCAPTURED_RETURNS) },
          )}
        </Paragraph>
      </MailLayout>
    );
  },
});
