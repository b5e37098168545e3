import { PASS_ASSIGNED_SUBJECT } from "#core/mail/mail-templates.ts";
import { NO_END } from "#core/time.ts";
import { becauseOfAccount, MailLayout, Paragraph, StrongButton } from "../mail-layout.tsx";
import { EXAMPLE_TOOL, mailTemplate } from "../mail-template.tsx";

export const passAssigned = mailTemplate({
  kind: "pass-assigned",
  subject: ({ toolName: tool }, { t }) => t(PASS_ASSIGNED_SUBJECT, { tool }),
  example: ({ shop, dateIn }) => ({ toolName: EXAMPLE_TOOL, until: dateIn(30), toolUrl: shop.origin }),
  Mail({ facts, shop, texts, subject }) {
    const { toolName: tool, until, toolUrl } = facts;
    const { t } = texts;
    return (
      <MailLayout
        shop={shop}
        texts={texts}
        title={subject}
        preview={
          until === null
            ? t("A pass from {shop}", { shop: shop.name })
            : until === NO_END
              ? t("Your pass has no end.")
              : t("Your pass works until {until}.", { until })
        }
        because={becauseOfAccount(shop, texts)}
      >
        <Paragraph>
          {until === null
            ? t("{shop} has given you a pass for {tool}. It has since ended.", { shop: shop.name, tool })
            : until === NO_END
              ? t("{shop} has given you a pass for {tool}. It has no end.", { shop: shop.name, tool })
              : t("{shop} has given you a pass for {tool}. It works until {until}.", {
                  shop: shop.name,
                  tool,
                  until,
                })}
        </Paragraph>
        {until === null ? null : <StrongButton href={toolUrl}>{t("Open {tool}", { tool })}</StrongButton>}
        <Paragraph>{t("There’s nothing to pay, and the pass doesn’t renew automatically.")}</Paragraph>
      </MailLayout>
    );
  },
});
