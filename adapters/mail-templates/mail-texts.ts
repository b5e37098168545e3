import type { ReactNode } from "react";
import type { Language } from "#db/tables/accounts.ts";

/** Hindi texts by the English ones, which stand in the code. A value stands as `{name}`. */
export type HindiTexts = Readonly<Record<string, string>>;

/**
 * The texts that several mails have; each mail has its own beside it. What the screens say too has the words of
 * `app/ui/texts/hi.json`. It is not in there, because browsers load that file.
 */
export const SHARED_HINDI = {
  "You’re getting this email because you have an account at {shop}.":
    "यह ईमेल आपको इसलिए मिला है, क्योंकि {shop} पर आपका अकाउंट है।",
  "You’re getting this email because you paid for a pass at {shop}.":
    "यह ईमेल आपको इसलिए मिला है, क्योंकि आपने {shop} पर एक पास के लिए पेमेंट किया था।",
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
    "आपको कोई पेमेंट नहीं करना है और यह पास अपने आप रिन्यू नहीं होगा।",
  "{amount} for {tool}": "{tool} के लिए {amount}",
  "Test purchase.": "टेस्ट खरीदारी।",
  "No money was charged.": "कोई पैसा नहीं कटा।",
  "Set a new password": "नया पासवर्ड बनाएँ",
  "usually within 10 days": "आम तौर पर 10 दिन के अंदर",
  "The shop has refunded it.": "यह रिफ़ंड हमने किया है।",
  "The amount paid was not the price.": "चुकाई गई रकम कीमत के बराबर नहीं थी।",
  "You had already paid for this purchase.": "आप इस खरीदारी का पेमेंट पहले ही कर चुके थे।",
  "This purchase had already been refunded.": "इस खरीदारी का रिफ़ंड पहले ही हो चुका था।",
  "This purchase had already ended.": "यह खरीदारी पहले ही बंद हो चुकी थी।",
  "You had started another purchase of this tool in the meantime.":
    "आपने इस बीच इसी टूल की दूसरी खरीदारी शुरू कर दी थी।",
  "The account had been disabled or deleted.": "अकाउंट बंद कर दिया गया था या हटा दिया गया था।",
  "You already had access to this tool.": "इस टूल का आपका पास पहले से चालू था।",
  "The tool was sold out when the payment arrived.": "पेमेंट पहुँचने तक टूल का स्टॉक खत्म हो चुका था।",
  "The coupon was used up when the payment arrived.": "पेमेंट पहुँचने तक कूपन के इस्तेमाल की सीमा पूरी हो चुकी थी।",
  "The shop has cancelled this purchase and gives the money back to you itself.":
    "हमने यह खरीदारी रद्द कर दी है और हम पैसे आपको खुद लौटाएँगे।",
  "The shop has cancelled this purchase.": "हमने यह खरीदारी रद्द कर दी है।",
} as const satisfies HindiTexts;

export type SharedText = keyof typeof SHARED_HINDI;

/** The names of the values in a text. */
type ValueNames<M extends string> = M extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ValueNames<Rest>
  : never;

type GivenValues<M extends string, Value> = [ValueNames<M>] extends [never]
  ? []
  : [values: Readonly<Record<ValueNames<M>, Value>>];

/** The texts of one mail, in the language of its recipient. A mail without a Hindi text is a type error. */
export interface MailTexts<Text extends PropertyKey> {
  language: Language;
  t<M extends Text & string>(text: M, ...values: GivenValues<M, string | number>): string;
  /** The same for values that are elements, each with a key. */
  nodes<M extends Text & string>(text: M, ...values: GivenValues<M, ReactNode>): ReactNode[];
}

export function textsIn<Text extends PropertyKey>(
  language: Language,
  hindi: Readonly<Record<Text, string>>,
): MailTexts<Text> {
  const find = (text: Text & string): string => (language === "hi" ? hindi[text] : text);
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
