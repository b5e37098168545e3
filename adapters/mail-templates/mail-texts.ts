import type { ReactNode } from "react";
import type { Language } from "#db/tables/accounts.ts";

/**
 * The texts of mails to buyers in Hindi, by the English ones, which stand in the code. A value stands as `{name}`. What the
 * screens say too has the words of `app/ui/texts/hi.json`; it is not in there, because browsers load that file.
 */
export const HINDI = {
  "You’re getting this email because you have an account at {shop}.":
    "यह ईमेल आपको इसलिए मिला है, क्योंकि {shop} पर आपका अकाउंट है।",
  "You’re getting this email because you had an account at {shop}.":
    "यह ईमेल आपको इसलिए मिला है, क्योंकि {shop} पर आपका अकाउंट था।",
  "You’re getting this email because you bought a pass at {shop}.":
    "यह ईमेल आपको इसलिए मिला है, क्योंकि आपने {shop} से एक पास खरीदा है।",
  "You’re getting this email because you paid for a pass at {shop}.":
    "यह ईमेल आपको इसलिए मिला है, क्योंकि आपने {shop} पर एक पास के लिए भुगतान किया था।",
  "You’re getting this email because you started a payment at {shop}.":
    "यह ईमेल आपको इसलिए मिला है, क्योंकि आपने {shop} पर भुगतान शुरू किया था।",
  "You’re getting this email because you claimed the daily giveaway at {shop}.":
    "यह ईमेल आपको इसलिए मिला है, क्योंकि आपने {shop} के रोज़ के गिवअवे में एक पास जीता है।",
  "You’re getting this email because you asked {shop} to tell you when {tool} is back.":
    "यह ईमेल आपको इसलिए मिला है, क्योंकि आपने {shop} से {tool} के स्टॉक में आने पर बताने को कहा था।",
  "You’re getting this email because a new password was requested for your account at {shop}.":
    "यह ईमेल आपको इसलिए मिला है, क्योंकि {shop} पर आपके अकाउंट के लिए नया पासवर्ड माँगा गया था।",
  "You can reach us at {address}.": "आप {address} पर हमसे संपर्क कर सकते हैं।",
  "Need help? You can message us on WhatsApp at {numbers}.":
    "मदद चाहिए? WhatsApp नंबर {numbers} पर हमें मैसेज करें।",
  "Need help? You can see our {contactPage}.": "मदद चाहिए? हमारा {contactPage} देखें।",
  "Need help? You can message us on WhatsApp at {numbers} or see our {contactPage}.":
    "मदद चाहिए? WhatsApp नंबर {numbers} पर हमें मैसेज करें या हमारा {contactPage} देखें।",
  "contact page": "संपर्क पेज",
  or: "या",

  "Open {tool}": "{tool} खोलें",
  "There’s nothing to pay, and the pass doesn’t renew automatically.":
    "आपको कोई भुगतान नहीं करना है और यह पास अपने आप रिन्यू नहीं होगा।",

  "Your receipt for {tool}": "{tool} की रसीद",
  "Test purchase: receipt for {tool}": "टेस्ट खरीदारी: {tool} की रसीद",
  "Your receipt": "आपकी रसीद",
  "Your pass is ready": "आपका पास तैयार है",
  "Your pass is renewed": "आपका पास रिन्यू हो गया है",
  "{amount} for {tool}": "{tool} के लिए {amount}",
  "{amount} for {tool}, access until {until}": "{tool} के लिए {amount}, पास {until} बजे तक चलेगा",
  "{amount} for {tool}, access without an end": "{tool} के लिए {amount}, पास कभी खत्म नहीं होगा",
  "Test purchase.": "टेस्ट खरीदारी।",
  "No money was charged.": "कोई पैसा नहीं कटा।",
  "Thank you for your purchase. Your pass for {tool} has since ended.":
    "खरीदारी के लिए धन्यवाद। आपका {tool} का पास अब खत्म हो चुका है।",
  "Thank you for your purchase. Your pass for {tool} has no end.":
    "खरीदारी के लिए धन्यवाद। आपका {tool} का पास कभी खत्म नहीं होगा।",
  "Thank you for your purchase. You have access to {tool} until {until}.":
    "खरीदारी के लिए धन्यवाद। आपका {tool} का पास {until} बजे तक चलेगा।",
  "Thank you for your purchase. Your pass for {tool} now runs until {until}.":
    "खरीदारी के लिए धन्यवाद। आपका {tool} का पास अब {until} बजे तक चलेगा।",
  "The pass doesn’t renew automatically, so you won’t be charged again. If you contact us about this purchase, please mention the order number.":
    "यह पास अपने आप रिन्यू नहीं होगा, इसलिए दोबारा पैसे नहीं कटेंगे। इस खरीदारी के बारे में हमसे बात करते समय कृपया ऑर्डर नंबर बताएँ।",
  "Order number": "ऑर्डर नंबर",
  Tool: "टूल",
  Pass: "पास",
  "{count} day": "{count} दिन",
  "{count} days": "{count} दिन",
  Price: "कीमत",
  Discount: "छूट",
  "Coupon {code}": "कूपन {code}",
  "Payment fee": "पेमेंट फ़ीस",
  "Offer at payment": "पेमेंट पर मिला ऑफ़र",
  "Amount paid": "चुकाई गई रकम",
  Date: "तारीख",
  "Renewal starts": "नई अवधि शुरू होगी",
  "Access until": "पास खत्म होगा",
  Access: "पास की अवधि",
  "No end": "कभी खत्म नहीं होगा",

  "You have access to {tool}": "आपको {tool} का पास मिला है",
  "A pass from {shop}": "{shop} की ओर से एक पास",
  "Your pass has no end.": "आपका पास कभी खत्म नहीं होगा।",
  "Your pass works until {until}.": "आपका पास {until} बजे तक चलेगा।",
  "{shop} has given you a pass for {tool}. It has since ended.":
    "{shop} ने आपको {tool} का पास दिया था। वह अब खत्म हो चुका है।",
  "{shop} has given you a pass for {tool}. It has no end.":
    "{shop} ने आपको {tool} का पास दिया है। यह कभी खत्म नहीं होगा।",
  "{shop} has given you a pass for {tool}. It works until {until}.":
    "{shop} ने आपको {tool} का पास दिया है। यह {until} बजे तक चलेगा।",

  "You won today’s giveaway: {tool}": "आपने आज का गिवअवे जीत लिया: {tool}",
  "You won a pass for {tool}": "आपने {tool} का पास जीत लिया",
  "It’s ready and works until {until}.": "आपका पास तैयार है और {until} बजे तक चलेगा।",
  "You were the first to claim today’s giveaway. Your free pass for {tool} is ready and works until {until}.":
    "आज के गिवअवे का पास सबसे पहले आपने लिया। आपका {tool} का मुफ़्त पास तैयार है और {until} बजे तक चलेगा।",

  "{tool} is back": "{tool} फिर से स्टॉक में है",
  "You can get a pass again.": "अब आप इसका पास ले सकते हैं।",
  "{tool} is in stock again. We can’t reserve one, so it’s first come, first served.":
    "{tool} फिर से स्टॉक में है। हम किसी के लिए कोई पास बचाकर नहीं रख सकते, इसलिए जो पहले लेगा, पास उसी का।",
  "Get {tool}": "{tool} का पास लें",
  "We won’t email you about this again unless you ask us to.":
    "जब तक आप न कहें, हम इस बारे में दोबारा ईमेल नहीं करेंगे।",

  "You can now sign in with Google": "अब आप Google से भी साइन इन कर सकते हैं",
  "Your password still works.": "आपका पासवर्ड भी पहले की तरह काम करेगा।",
  "Someone just signed in with Google as {email}. From now on you can open your account with Google as well as with your password.":
    "अभी-अभी किसी ने {email} वाले Google अकाउंट से साइन इन किया है। अब से आप अपने अकाउंट में पासवर्ड के अलावा Google से भी साइन इन कर सकते हैं।",
  "If it was you, there is nothing to do. If it wasn’t, please change your password, sign out all other browsers on your account page, and contact us right away.":
    "अगर यह आपने ही किया है, तो कुछ करने की ज़रूरत नहीं है। अगर यह आपने नहीं किया, तो कृपया अपना पासवर्ड बदलें, अपने अकाउंट पेज पर बाकी सभी ब्राउज़र साइन आउट करें और तुरंत हमसे बात करें।",

  "Your password was changed": "आपका पासवर्ड बदल गया है",
  "If it was you, there is nothing to do.": "अगर यह आपने ही किया है, तो कुछ करने की ज़रूरत नहीं है।",
  "The password of your account {email} was just changed. All other browsers were signed out.":
    "आपके अकाउंट {email} का पासवर्ड अभी-अभी बदला गया है। बाकी सभी ब्राउज़र साइन आउट हो गए हैं।",
  "If it was you, there is nothing to do. If it wasn’t, please set a new password and contact us right away.":
    "अगर यह आपने ही किया है, तो कुछ करने की ज़रूरत नहीं है। अगर यह आपने नहीं किया, तो कृपया नया पासवर्ड बनाएँ और तुरंत हमसे बात करें।",
  "Set a new password": "नया पासवर्ड बनाएँ",
  "The link works once, for {minutes} minutes.": "लिंक {minutes} मिनट तक चलेगा और सिर्फ़ एक बार काम करेगा।",
  "We received a request to reset your password. The link below works once, for {minutes} minutes.":
    "हमें आपका पासवर्ड रीसेट करने की रिक्वेस्ट मिली है। नीचे दिया गया लिंक {minutes} मिनट तक चलेगा और सिर्फ़ एक बार काम करेगा।",
  "If the button doesn’t work, copy this address into your browser:":
    "अगर बटन काम न करे, तो यह पता कॉपी करके अपने ब्राउज़र में खोलें:",
  "If you didn’t ask for this, you don’t need to do anything. Your password stays the same.":
    "अगर यह रिक्वेस्ट आपकी नहीं है, तो कुछ करने की ज़रूरत नहीं है। आपका पासवर्ड वही रहेगा।",

  "You now sign in with Google": "अब आप Google से साइन इन करेंगे",
  "We removed the old password of your account.": "हमने आपके अकाउंट का पुराना पासवर्ड हटा दिया है।",
  "You signed in with Google as {email}. There was already an account with this address, but nobody had ever confirmed it. Google has confirmed that the address is yours, so the account is now yours.":
    "आपने {email} वाले Google अकाउंट से साइन इन किया। इस ईमेल पते से हमारे यहाँ एक अकाउंट पहले से था, लेकिन पते की पुष्टि कभी नहीं हुई थी। Google ने पुष्टि की है कि यह पता आपका है, इसलिए वह अकाउंट अब आपका है।",
  "To keep it safe, we removed the old password and signed out every browser and extension that was using the account. Any passes in it are still there.":
    "अकाउंट की सुरक्षा के लिए हमने पुराना पासवर्ड हटा दिया है, और जो ब्राउज़र और एक्सटेंशन यह अकाउंट इस्तेमाल कर रहे थे, उन सभी को साइन आउट कर दिया है। अकाउंट में जो भी पास थे, वे अब भी वैसे ही हैं।",
  "Would you like a password as well? Choose “Forgot password?” when you sign in. If it wasn’t you who signed in with Google, please contact us right away.":
    "क्या आप पासवर्ड से भी साइन इन करना चाहते हैं? तो साइन इन करते समय “पासवर्ड भूल गए?” चुनें। अगर Google से साइन इन आपने नहीं किया, तो कृपया तुरंत हमसे बात करें।",

  "Your account has been deleted": "आपका अकाउंट हटा दिया गया है",
  "Your passes have ended, and your data has been removed.":
    "आपके सभी पास खत्म हो गए हैं और आपका डेटा मिटा दिया गया है।",
  "Your account at {shop} has been deleted, as you asked. Your passes have ended. Payments stay in our books, without your name and email address.":
    "आपके कहने पर {shop} से आपका अकाउंट हटा दिया गया है। आपके सभी पास खत्म हो गए हैं। भुगतानों का रिकॉर्ड हम आपके नाम और ईमेल पते के बिना रखते हैं।",
  "You will still get your refund of {amount} for {tool}. The money goes back to where you paid from. Banks take 5 to {days} days to show it.":
    "{tool} के लिए {amount} का रिफ़ंड आपको फिर भी मिलेगा। पैसे वहीं लौटेंगे जहाँ से आपने भुगतान किया था। बैंक में दिखने में 5 से {days} दिन लगते हैं।",
  "You will still get your refund of {amount} for {tool}. You paid the shop directly, so the shop gives the money back to you itself. If it has not arrived in a few days, please contact us.":
    "{tool} के लिए {amount} का रिफ़ंड आपको फिर भी मिलेगा। आपने सीधे दुकान को भुगतान किया था, इसलिए दुकान खुद आपको पैसे लौटाएगी। अगर कुछ दिनों में पैसे न मिलें, तो कृपया हमसे बात करें।",
  "In total, {amount} will be refunded to you.": "आपको कुल {amount} का रिफ़ंड मिलेगा।",
  "This is our last email to you. If it wasn’t you who deleted the account, please contact us right away.":
    "यह हमारी ओर से आपको आखिरी ईमेल है। अगर अकाउंट आपने नहीं हटाया, तो कृपया तुरंत हमसे बात करें।",

  "We didn’t take your payment of {amount} for {tool}": "हमने {tool} के लिए आपका {amount} का भुगतान नहीं लिया",
  "We didn’t take your {amount}": "हमने आपके {amount} नहीं लिए",
  "For {tool}: {reason}": "{tool}: {reason}",
  "Your bank approved a payment of {amount} for {tool}, but we didn’t take it. {reason}":
    "आपके बैंक ने {tool} के लिए {amount} का भुगतान मंज़ूर कर दिया था, लेकिन हमने उसे नहीं लिया। {reason}",
  "If the amount has left your account, your bank returns it automatically, {when}. You don’t need to do anything.":
    "अगर पैसे आपके खाते से कट गए हैं, तो बैंक उन्हें {when} अपने आप लौटा देगा। आपको कुछ नहीं करना है।",
  "usually within 10 days": "आम तौर पर 10 दिन के अंदर",
  "Refund started: {amount} for {tool}": "रिफ़ंड शुरू हुआ: {tool} के लिए {amount}",
  "Refund started": "रिफ़ंड शुरू हुआ",
  "Refund on hold: {amount} for {tool}": "रिफ़ंड रुका हुआ है: {tool} के लिए {amount}",
  "Refund on hold": "रिफ़ंड रुका हुआ है",
  "We owe you a refund of {amount} for {tool}. {reason}":
    "{tool} के लिए {amount} का रिफ़ंड आपको मिलना है। {reason}",
  "You disputed this payment at your bank, so the refund waits until the bank has decided. Then the money comes back from the bank or from us. You don’t need to do anything.":
    "आपने इस भुगतान पर अपने बैंक में आपत्ति दर्ज की है, इसलिए बैंक का फ़ैसला आने तक रिफ़ंड रुका रहेगा। उसके बाद पैसे आपको बैंक से या हमसे मिल जाएँगे। आपको कुछ नहीं करना है।",
  "We’ve started a refund of {amount} for {tool}. {reason}":
    "हमने {tool} के लिए {amount} का रिफ़ंड शुरू कर दिया है। {reason}",
  "The money goes back to where you paid from. Banks take 5 to {days} days to show it. You don’t need to do anything.":
    "पैसे वहीं लौटेंगे जहाँ से आपने भुगतान किया था। बैंक में दिखने में 5 से {days} दिन लगते हैं। आपको कुछ नहीं करना है।",

  "Your bank has returned {amount} for {tool}": "आपके बैंक ने {tool} के {amount} लौटा दिए हैं",
  "Your bank has returned {amount}": "आपके बैंक ने {amount} लौटा दिए हैं",
  "You disputed your payment for {tool} at your bank, and the bank has decided for you. It returns {amount} to you, so a pass that came with this payment has ended.":
    "आपने {tool} के भुगतान पर अपने बैंक में आपत्ति दर्ज की थी और बैंक ने फ़ैसला आपके पक्ष में किया है। बैंक आपको {amount} लौटा रहा है, इसलिए इस भुगतान से मिला पास खत्म हो गया है।",
  "If you didn’t dispute this payment, or you want a pass again, please contact us.":
    "अगर यह आपत्ति आपने दर्ज नहीं की थी, या आप फिर से पास लेना चाहते हैं, तो कृपया हमसे बात करें।",

  "The shop has refunded it.": "यह रिफ़ंड दुकान ने किया है।",
  "The amount paid was not the price.": "चुकाई गई रकम कीमत के बराबर नहीं थी।",
  "You had already paid for this purchase.": "आप इस खरीदारी का भुगतान पहले ही कर चुके थे।",
  "This purchase had already been refunded.": "इस खरीदारी का रिफ़ंड पहले ही हो चुका था।",
  "This purchase had already ended.": "यह खरीदारी पहले ही बंद हो चुकी थी।",
  "You had started another purchase of this tool in the meantime.":
    "आपने इस बीच इसी टूल की दूसरी खरीदारी शुरू कर दी थी।",
  "The account had been disabled or deleted.": "अकाउंट बंद कर दिया गया था या हटा दिया गया था।",
  "You already had access to this tool.": "इस टूल का आपका पास पहले से चालू था।",
  "The tool was sold out when the payment arrived.": "भुगतान पहुँचने तक टूल का स्टॉक खत्म हो चुका था।",
  "The coupon was used up when the payment arrived.": "भुगतान पहुँचने तक कूपन के इस्तेमाल की सीमा पूरी हो चुकी थी।",
  "The shop has cancelled this purchase and gives the money back to you itself.":
    "दुकान ने यह खरीदारी रद्द कर दी है और पैसे आपको खुद लौटाएगी।",
  "You paid the shop directly, so it does not come from a payment company. If it has not arrived in a few days, please contact us.":
    "आपने सीधे दुकान को भुगतान किया था, इसलिए पैसे किसी पेमेंट कंपनी से नहीं आएँगे। अगर कुछ दिनों में न मिलें, तो हमसे संपर्क करें।",
  "The shop has cancelled this purchase.": "दुकान ने यह खरीदारी रद्द कर दी है।",
} as const satisfies Readonly<Record<string, string>>;

/** A text of a mail to buyers in English. One that has no Hindi text is a type error. */
export type MailText = keyof typeof HINDI;

/** The names of the values in a text. */
type ValueNames<M extends string> = M extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ValueNames<Rest>
  : never;

type GivenValues<M extends string, Value> = [ValueNames<M>] extends [never]
  ? []
  : [values: Readonly<Record<ValueNames<M>, Value>>];

/** The texts of one mail, in the language of its recipient. */
export interface MailTexts {
  language: Language;
  t<M extends MailText>(text: M, ...values: GivenValues<M, string | number>): string;
  /** The same for values that are elements, each with a key. */
  nodes<M extends MailText>(text: M, ...values: GivenValues<M, ReactNode>): ReactNode[];
}

export function textsIn(language: Language): MailTexts {
  const find = (text: MailText): string => (language === "hi" ? HINDI[text] : text);
  return {
    language,
    t: (text, ...[values]) => fill(find(text), values ?? {}).join(""),
    nodes: (text, ...[values]) => fill(find(text), values ?? {}),
  };
}

/** "{count} left" → [the value of count, " left"] */
function fill<Value>(text: string, values: Readonly<Record<string, Value>>): (string | Value | undefined)[] {
  return text.split(/[{}]/).map((part, at) => (at % 2 === 0 ? part : values[part]));
}
