import { becauseOfAccount, MailLayout, Paragraph } from "../mail-layout.tsx";
import { EXAMPLE_BUYER, mailTemplate } from "../mail-template.tsx";

export const accountTakenOver = mailTemplate({
  kind: "account-taken-over",
  subject: (_, { t }) => t("You now sign in with Google"),
  example: () => ({ email: EXAMPLE_BUYER }),
  Mail({ facts, shop, texts, subject }) {
    const { t } = texts;
    return (
      <MailLayout
        shop={shop}
        texts={texts}
        title={subject}
        preview={t("We removed the old password of your account.")}
        because={becauseOfAccount(shop, texts)}
      >
        <Paragraph>
          {t(
            "You signed in with Google as {email}. There was already an account with this address, but nobody had ever confirmed it. Google has confirmed that the address is yours, so the account is now yours.",
            facts,
          )}
        </Paragraph>
        <Paragraph>
          {t(
            "To keep it safe, we removed the old password and signed out every browser and extension that was using the account. Any passes in it are still there.",
          )}
        </Paragraph>
        <Paragraph>
          {t(
            "Would you like a password as well? Choose “Forgot password?” when you sign in. If it wasn’t you who signed in with Google, please contact us right away.",
          )}
        </Paragraph>
      </MailLayout>
    );
  },
});
