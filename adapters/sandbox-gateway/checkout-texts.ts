import type { Language } from "#languages/languages.ts";
import { type GivenValues, withValues } from "#languages/message-values.ts";

/** A text of the test checkout in English, which is its key in the catalogue of each other language. */
type CheckoutText = keyof typeof import("#languages/hi/test-checkout.json");

/** English has none: its texts are in the code. */
const CATALOGUES = import.meta.glob<Readonly<Record<string, string>>>("/languages/*/test-checkout.json", {
  eager: true,
  import: "default",
});

/** The texts of the test checkout, in the language of the buyer. */
export function textsIn(language: Language) {
  const texts = CATALOGUES[`/languages/${language}/test-checkout.json`];
  return <Text extends CheckoutText>(text: Text, ...[values]: GivenValues<Text, string>): string =>
    withValues(texts?.[text] ?? text, values);
}

/** What the page says about the choice of the buyer. Its script gets them with the page. */
export function pageTexts(language: Language) {
  const t = textsIn(language);
  return {
    asking: t("Asking the bank…"),
    paying: t("Paying…"),
    declined: t("The bank declined the payment."),
    noAnswer: t("The test gateway did not answer. Nothing was lost: try again."),
    paid: t("Paid."),
    paidAlone: t("Paid. You can go back to the shop."),
    notCharged: t("You were not charged. You can go back to the shop."),
  };
}

export type PageTexts = ReturnType<typeof pageTexts>;

/** What a page of the shop shows until the page of the checkout has loaded. */
export function windowTexts(language: Language) {
  const t = textsIn(language);
  return {
    title: t("Test payment"),
    opening: t("Opening the test payment…"),
    slow: t("The test payment does not open. You were not charged."),
    cancel: t("Cancel"),
  };
}

export type WindowTexts = ReturnType<typeof windowTexts>;
