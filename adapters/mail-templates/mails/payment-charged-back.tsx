import { formatPaise } from "#core/money.ts";
import { MailLayout, Paragraph, TestPurchase } from "../mail-layout.tsx";
import { EXAMPLE_TOOL, mailTemplate } from "../mail-template.tsx";

export const paymentChargedBack = mailTemplate({
  kind: "payment-charged-back",
  subject: ({ amountPaise, toolName: tool }, { t }) =>
    t("Your bank has returned {amount} for {tool}", { amount: formatPaise(amountPaise), tool }),
  example: () => ({ toolName: EXAMPLE_TOOL, amountPaise: 14_900, testMode: false }),
  Mail({ facts, shop, texts }) {
    const { t } = texts;
    const { toolName: tool } = facts;
    const amount = formatPaise(facts.amountPaise);
    return (
      <MailLayout
        shop={shop}
        texts={texts}
        title={t("Your bank has returned {amount}", { amount })}
        preview={t("{amount} for {tool}", { amount, tool })}
        because={t("You’re getting this email because you paid for a pass at {shop}.", { shop: shop.name })}
      >
        {facts.testMode ? <TestPurchase texts={texts} /> : null}
        <Paragraph>
          {t(
            "You disputed your payment for {tool} at your bank, and the bank has decided for you. It returns {amount} to you, so a pass that came with this payment has ended.",
            { amount, tool },
          )}
        </Paragraph>
        <Paragraph>
          {t("If you didn’t dispute this payment, or you want a pass again, please contact us.")}
        </Paragraph>
      </MailLayout>
    );
  },
});
