import { formatPaise } from "#core/money.ts";
import { BANK_DAYS_MAXIMUM } from "#core/refund-reasons.ts";
import { MailLayout, Paragraph } from "../mail-layout.tsx";
import { EXAMPLE_TOOL, mailTemplate } from "../mail-template.tsx";

export const accountDeleted = mailTemplate({
  kind: "account-deleted",
  hindi: {
    "You’re getting this email because you had an account at {shop}.":
      "यह ईमेल आपको इसलिए मिला है, क्योंकि {shop} पर आपका अकाउंट था।",
    "Your account has been deleted": "आपका अकाउंट हटा दिया गया है",
    "Your passes have ended, and your data has been removed.":
      "आपके सभी पास खत्म हो गए हैं और आपका डेटा मिटा दिया गया है।",
    "Your account at {shop} has been deleted, as you asked. Your passes have ended. Payments stay in our books, without your name and email address.":
      "आपके कहने पर {shop} से आपका अकाउंट हटा दिया गया है। आपके सभी पास खत्म हो गए हैं। पेमेंट का रिकॉर्ड हम आपके नाम और ईमेल पते के बिना रखते हैं।",
    "You will still get your refund of {amount} for {tool}. The money goes back to where you paid from. Banks take 5 to {days} days to show it.":
      "{tool} के लिए {amount} का रिफ़ंड आपको फिर भी मिलेगा। पैसे वहीं लौटेंगे जहाँ से आपने पेमेंट किया था। बैंक में दिखने में 5 से {days} दिन लगते हैं।",
    "You will still get your refund of {amount} for {tool}. You paid the shop directly, so the shop gives the money back to you itself. If it has not arrived in a few days, please contact us.":
      "{tool} के लिए {amount} का रिफ़ंड आपको फिर भी मिलेगा। आपने सीधे हमें पेमेंट किया था, इसलिए हम पैसे आपको खुद लौटाएँगे। अगर कुछ दिनों में पैसे न मिलें, तो कृपया हमसे बात करें।",
    "In total, {amount} will be refunded to you.": "आपको कुल {amount} का रिफ़ंड मिलेगा।",
    "This is our last email to you. If it wasn’t you who deleted the account, please contact us right away.":
      "यह हमारी ओर से आपको आखिरी ईमेल है। अगर अकाउंट आपने नहीं हटाया, तो कृपया तुरंत हमसे बात करें।",
  },
  subject: (_, { t }) => t("Your account has been deleted"),
  example: () => ({
    openRefunds: [{ toolName: EXAMPLE_TOOL, amountPaise: 14_900, byHand: false }],
    openRefundsPaise: 14_900,
  }),
  Mail({ facts, shop, texts, subject }) {
    const { openRefunds, openRefundsPaise } = facts;
    const { t } = texts;
    return (
      <MailLayout
        shop={shop}
        texts={texts}
        title={subject}
        preview={t("Your passes have ended, and your data has been removed.")}
        because={t("You’re getting this email because you had an account at {shop}.", { shop: shop.name })}
      >
        <Paragraph>
          {t(
            "Your account at {shop} has been deleted, as you asked. Your passes have ended. Payments stay in our books, without your name and email address.",
            { shop: shop.name },
          )}
        </Paragraph>
        {openRefunds.map(({ toolName: tool, amountPaise, byHand }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two refunds may be the same
          <Paragraph key={at}>
            {t(
              byHand
                ? "You will still get your refund of {amount} for {tool}. You paid the shop directly, so the shop gives the money back to you itself. If it has not arrived in a few days, please contact us."
                : "You will still get your refund of {amount} for {tool}. The money goes back to where you paid from. Banks take 5 to {days} days to show it.",
              { amount: formatPaise(amountPaise), tool, days: BANK_DAYS_MAXIMUM },
            )}
          </Paragraph>
        ))}
        {openRefunds.length > 1 ? (
          <Paragraph>
            {t("In total, {amount} will be refunded to you.", { amount: formatPaise(openRefundsPaise) })}
          </Paragraph>
        ) : null}
        <Paragraph>
          {t(
            "This is our last email to you. If it wasn’t you who deleted the account, please contact us right away.",
          )}
        </Paragraph>
      </MailLayout>
    );
  },
});
