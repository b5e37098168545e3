import { becauseOfAccount, MailLayout, Paragraph } from "../mail-layout.tsx";
import { EXAMPLE_BUYER, mailTemplate } from "../mail-template.tsx";

export const googleLinked = mailTemplate({
  kind: "google-linked",
  subject: (_, { t }) => t("You can now sign in with Google"),
  example: () => ({ email: EXAMPLE_BUYER }),
  Mail({ facts, shop, texts, subject }) {
    const { t } = texts;
    return (
      <MailLayout
        shop={shop}
        texts={texts}
        title={subject}
        preview={t("Your password still works.")}
        because={becauseOfAccount(shop, texts)}
      >
        <Paragraph>
          {t(
            "Someone just signed in with Google as {email}. From now on you can open your account with Google as well as with your password.",
            facts,
          )}
        </Paragraph>
        <Paragraph>
          {t(
            "If it was you, there is nothing to do. If it wasn’t, please change your password, sign out all other browsers on your account page, and contact us right away.",
          )}
        </Paragraph>
      </MailLayout>
    );
  },
});
