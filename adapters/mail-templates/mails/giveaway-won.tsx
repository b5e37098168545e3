import { MailLayout, Paragraph, StrongButton } from "../mail-layout.tsx";
import { EXAMPLE_TOOL, mailTemplate } from "../mail-template.tsx";

export const giveawayWon = mailTemplate({
  kind: "giveaway-won",
  subject: ({ toolName: tool }, { t }) => t("You won today’s giveaway: {tool}", { tool }),
  example: ({ shop, dateIn }) => ({ toolName: EXAMPLE_TOOL, until: dateIn(30), toolUrl: shop.origin }),
  Mail({ facts, shop, texts }) {
    const { toolName: tool, until, toolUrl } = facts;
    const { t } = texts;
    return (
      <MailLayout
        shop={shop}
        texts={texts}
        title={t("You won a pass for {tool}", { tool })}
        preview={t("It’s ready and works until {until}.", { until })}
        because={t("You’re getting this email because you claimed the daily giveaway at {shop}.", {
          shop: shop.name,
        })}
      >
        <Paragraph>
          {t(
            "You were the first to claim today’s giveaway. Your free pass for {tool} is ready and works until {until}.",
            { tool, until },
          )}
        </Paragraph>
        <StrongButton href={toolUrl}>{t("Open {tool}", { tool })}</StrongButton>
        <Paragraph>{t("There’s nothing to pay, and the pass doesn’t renew automatically.")}</Paragraph>
      </MailLayout>
    );
  },
});
