import { MailLayout, Paragraph, SmallPrint, StrongButton } from "../mail-layout.tsx";
import { EXAMPLE_TOOL, mailTemplate } from "../mail-template.tsx";

export const backInStock = mailTemplate({
  kind: "back-in-stock",
  hindi: {
    "You’re getting this email because you asked {shop} to tell you when {tool} is back.":
      "यह ईमेल आपको इसलिए मिला है, क्योंकि आपने {shop} से {tool} के स्टॉक में आने पर बताने को कहा था।",
    "{tool} is back": "{tool} फिर से स्टॉक में है",
    "You can get a pass again.": "अब आप इसका पास ले सकते हैं।",
    "{tool} is in stock again. We can’t reserve one, so it’s first come, first served.":
      "{tool} फिर से स्टॉक में है। हम किसी के लिए कोई पास बचाकर नहीं रख सकते, इसलिए जो पहले लेगा, पास उसी का।",
    "Get {tool}": "{tool} का पास लें",
    "We won’t email you about this again unless you ask us to.":
      "जब तक आप न कहें, हम इस बारे में दोबारा ईमेल नहीं करेंगे।",
  },
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
