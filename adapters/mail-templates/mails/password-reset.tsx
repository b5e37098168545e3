import { MailLayout, MailLink, Paragraph, SmallPrint, StrongButton } from "../mail-layout.tsx";
import { mailTemplate } from "../mail-template.tsx";

export const passwordReset = mailTemplate({
  kind: "password-reset",
  subject: (_, { t }) => t("Set a new password"),
  example: ({ shop }) => ({ resetUrl: `${shop.origin}/reset-password?token=example`, validMinutes: 60 }),
  Mail({ facts, shop, texts, subject }) {
    const { resetUrl, validMinutes: minutes } = facts;
    const { t } = texts;
    return (
      <MailLayout
        shop={shop}
        texts={texts}
        title={subject}
        preview={t("The link works once, for {minutes} minutes.", { minutes })}
        because={t(
          "You’re getting this email because a new password was requested for your account at {shop}.",
          { shop: shop.name },
        )}
      >
        <Paragraph>
          {t(
            "We received a request to reset your password. The link below works once, for {minutes} minutes.",
            { minutes },
          )}
        </Paragraph>
        <StrongButton href={resetUrl}>{t("Set a new password")}</StrongButton>
        <SmallPrint>
          {t("If the button doesn’t work, copy this address into your browser:")}
          <br />
          <span style={{ wordBreak: "break-all" }}>
            <MailLink href={resetUrl}>{resetUrl}</MailLink>
          </span>
        </SmallPrint>
        <Paragraph>
          {t("If you didn’t ask for this, you don’t need to do anything. Your password stays the same.")}
        </Paragraph>
      </MailLayout>
    );
  },
});
