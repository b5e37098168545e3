import { MailLayout, Paragraph, SmallPrint, StrongButton } from "../mail-layout.tsx";
import { EXAMPLE_TOOL, mailTemplate } from "../mail-template.tsx";

export const backInStock = mailTemplate({
  kind: "back-in-stock",
  subject: ({ toolName: tool }, { t }) => t("{tool} is back", { tool }),
  example: ({ shop }) => ({ toolName: EXAMPLE_TOOL, shopUrl: shop.origin }),
  Mail({ facts, shop, texts, subject }) {
    const { toolName: tool, shopUrl } = facts;
    const { t } = texts;
    return (
      <MailLayout
        shop={shop}
        texts={texts}
        title={subject}
        preview={t("You can get a pass again.")}
        because={t("You’re getting this email because you asked {shop} to tell you when {tool} is back.", {
          shop: shop.name,
          tool,
        })}
      >
        <Paragraph>
          {t("{tool} is in stock again. We can’t reserve one, so it’s first come, first served.", { tool })}
        </Paragraph>
        <StrongButton href={shopUrl}>{t("Get {tool}", { tool })}</StrongButton>
        <SmallPrint>{t("We won’t email you about this again unless you ask us to.")}</SmallPrint>
      </MailLayout>
    );
  },
});
