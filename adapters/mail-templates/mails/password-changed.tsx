import { becauseOfAccount, MailLayout, Paragraph, StrongButton } from "../mail-layout.tsx";
import { EXAMPLE_BUYER, mailTemplate } from "../mail-template.tsx";

export const passwordChanged = mailTemplate({
  kind: "password-changed",
  subject: (_, { t }) => t("Your password was changed"),
  example: () => ({ email: EXAMPLE_BUYER }),
  Mail({ facts, shop, texts, subject }) {
    const { t } = texts;
    return (
      <MailLayout
        shop={shop}
        texts={texts}
        title={subject}
        preview={t("If it was you, there is nothing to do.")}
        because={becauseOfAccount(shop, texts)}
      >
        <Paragraph>
          {t(
            "The password of your account {email} was just changed. All other browsers were signed out.",
            facts,
          )}
        </Paragraph>
        <Paragraph>
          {t(
            "If it was you, there is nothing to do. If it wasn’t, please set a new password and contact us right away.",
          )}
        </Paragraph>
        <StrongButton href={`${shop.origin}/forgot-password`}>{t("Set a new password")}</StrongButton>
      </MailLayout>
    );
  },
});
