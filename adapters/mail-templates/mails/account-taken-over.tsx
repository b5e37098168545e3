import { becauseOfAccount, MailLayout, Paragraph } from "../mail-layout.tsx";
import { EXAMPLE_BUYER, mailTemplate } from "../mail-template.tsx";

export const accountTakenOver = mailTemplate({
  kind: "account-taken-over",
  hindi: {
    "You now sign in with Google": "अब आप Google से साइन इन करेंगे",
    "We removed the old password of your account.": "हमने आपके अकाउंट का पुराना पासवर्ड हटा दिया है।",
    "You signed in with Google as {email}. There was already an account with this address, but nobody had ever confirmed it. Google has confirmed that the address is yours, so the account is now yours.":
      "आपने {email} वाले Google अकाउंट से साइन इन किया। इस ईमेल पते से हमारे यहाँ एक अकाउंट पहले से था, लेकिन पते की पुष्टि कभी नहीं हुई थी। Google ने पुष्टि की है कि यह पता आपका है, इसलिए वह अकाउंट अब आपका है।",
    "To keep it safe, we removed the old password and signed out every browser and extension that was using the account. Any passes in it are still there.":
      "अकाउंट की सुरक्षा के लिए हमने पुराना पासवर्ड हटा दिया है, और जो ब्राउज़र और एक्सटेंशन यह अकाउंट इस्तेमाल कर रहे थे, उन सभी को साइन आउट कर दिया है। अकाउंट में जो भी पास थे, वे अब भी वैसे ही हैं।",
    "Would you like a password as well? Choose “Forgot password?” when you sign in. If it wasn’t you who signed in with Google, please contact us right away.":
      "क्या आप पासवर्ड से भी साइन इन करना चाहते हैं? तो साइन इन करते समय “पासवर्ड भूल गए?” चुनें। अगर Google से साइन इन आपने नहीं किया, तो कृपया तुरंत हमसे बात करें।",
  },
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
