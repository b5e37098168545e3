import { messageForCode } from "../../errors/error-messages.ts";
import { NETWORK_ERROR_MESSAGE } from "../../ui/shop-connection.tsx";
import { t } from "../../ui/texts/texts.ts";
import { type CheckoutState, currentQuote, type Notice } from "./checkout-state.ts";
import { couponText } from "./coupon-machine.ts";

export const NOTHING_WAS_CHARGED = "Nothing was charged.";

/** `bad`: something failed. */
interface NoticeMessage {
  tone: "quiet" | "bad";
  title: string;
  text: string;
}

/** Says which choices are kept after a lost connection; empty when the buyer made none. */
export function keptChoice({ offer, optionLabel, coupon }: CheckoutState): string {
  const choseOption = optionLabel !== null && (offer === null || offer.options.length > 1);
  const hasCoupon = couponText(coupon).trim() !== "";
  if (choseOption && hasCoupon) return t("Your duration and coupon are kept.");
  if (choseOption) return t("Your duration is kept.");
  return hasCoupon ? t("Your coupon is kept.") : "";
}

/** Why the buyer is at the pay button again, and what to do. */
function noticeMessage(notice: Notice, state: CheckoutState): NoticeMessage {
  switch (notice.kind) {
    case "closed":
      return { tone: "quiet", title: t("You closed the checkout."), text: t(NOTHING_WAS_CHARGED) };
    case "closed-unsure":
      return {
        tone: "quiet",
        title: t("You left the payment."),
        text: t("Nothing was charged, as far as we know. If you did pay, your pass appears by itself."),
      };
    case "declined":
      return {
        tone: "bad",
        title: messageForCode("payment-not-verified"),
        text: t("Your bank declined the payment. If money left your account, the bank returns it."),
      };
    case "price-changed":
      return {
        tone: "quiet",
        title: t("The price has changed."),
        text: `${t("This is the new price.")} ${t(NOTHING_WAS_CHARGED)}`,
      };
    case "no-window":
      return {
        tone: "bad",
        title: t("The payment window did not open."),
        text: t("You were not charged. Please try again."),
      };
    case "network":
      return {
        tone: "bad",
        title: t(NETWORK_ERROR_MESSAGE),
        text: `${t(NOTHING_WAS_CHARGED)} ${keptChoice(state)}`.trim(),
      };
    case "coupon-applied":
      return {
        tone: "quiet",
        title: t("Your coupon is applied."),
        text: t("This is the price with it. Press again to continue."),
      };
    case "coupon-refused":
      return {
        tone: "bad",
        title: t("Your coupon cannot be used."),
        text: t("You were not charged. This is the price without it."),
      };
    case "sign-in":
      return { tone: "quiet", title: messageForCode("unauthenticated"), text: t("We’ve kept your choice.") };
    case "session-ended":
      return {
        tone: "bad",
        title: t("User authentication error"),
        text: t("Your session has ended. Please sign in again."),
      };
    case "refused":
      return { tone: "bad", title: notice.message || messageForCode("payment-not-verified"), text: "" };
  }
}

/** After this many polls, about six seconds, the message explains the wait. */
const LONG_WAIT_POLLS = 3;

const opening = () => ({
  label: t("Opening checkout…"),
  text: t("The payment window opens in a moment."),
});

const CHECKED = "We’re checking your payment. Please don’t pay again.";

function pollingText({ polls, unreachable }: { polls: number; unreachable: boolean }): string {
  if (unreachable) return t("No connection to the shop. Your money is safe; please don’t pay again.");
  if (polls < LONG_WAIT_POLLS) return t(CHECKED);
  return t("Your bank is taking longer than usual. Your money is safe; please don’t pay again.");
}

/** The label of the busy main button and the text below it; null when nothing is in progress. */
export function progressMessage({ step }: CheckoutState): { label: string; text: string } | null {
  switch (step.name) {
    case "starting":
      if (step.amountPaise === 0) return { label: t("Getting access…"), text: t("Nothing is charged.") };
      return opening();
    case "opening":
    case "paying":
      return opening();
    case "cancelling":
      return { label: t("Closing checkout…"), text: t("Making sure nothing was charged.") };
    case "confirming":
      return { label: t("Confirming payment…"), text: t(CHECKED) };
    case "polling":
      return { label: t("Confirming payment…"), text: pollingText(step) };
    default:
      return null;
  }
}

/** The message below the main button. */
export function messageBelowButton(state: CheckoutState, testPayments: boolean): NoticeMessage {
  const { step } = state;
  const quote = currentQuote(state);
  const isMinimumCharge = quote?.raisedToMinimum ?? false;
  const quiet = (title: string, text: string): NoticeMessage => ({ tone: "quiet", title, text });
  const progress = progressMessage(state);
  if (progress) return quiet("", progress.text);
  switch (step.name) {
    case "sold-out":
      return quiet(
        messageForCode("tool-out-of-stock"),
        t("On its page you can ask us to tell you when it’s back."),
      );
    case "not-set-up":
      return quiet(t("Payments are not set up in this shop yet."), t("Nothing can be charged."));
    case "contact":
      return quiet("", t("Sold on WhatsApp. Message us and we’ll set it up."));
    case "payable":
      if (step.notice) {
        const message = noticeMessage(step.notice, state);
        return isMinimumCharge && showsNewPrice(step.notice)
          ? { ...message, text: t(MINIMUM_TEXT) }
          : message;
      }
      break;
    default:
      break;
  }
  if (state.renews) {
    const start = t("The renewal starts when your pass ends.");
    if (quote?.chargedPaise === 0) return quiet("", `${t("Nothing is charged.")} ${start}`);
    if (isMinimumCharge) return quiet(t(MINIMUM_TITLE), `${t(MINIMUM_TEXT)} ${start}`);
    return testPayments ? quiet(t(TEST_TITLE), `${t(TEST_TEXT)} ${start}`) : quiet("", start);
  }
  if (quote?.chargedPaise === 0) return quiet("", t("Nothing is charged. Access starts at once."));
  if (isMinimumCharge) return quiet(t(MINIMUM_TITLE), t(MINIMUM_TEXT));
  // The page's banner for test payments is behind the dialog.
  if (testPayments) return quiet(t(TEST_TITLE), t(TEST_TEXT));
  return quiet("", t("Access starts once your payment is confirmed."));
}

const MINIMUM_TITLE = "You pay ₹1.";
const MINIMUM_TEXT = "The smallest amount that can be charged is ₹1.";

const TEST_TITLE = "Test payments";
const TEST_TEXT = "No money moves in this shop.";

function showsNewPrice({ kind }: Notice): boolean {
  return kind === "coupon-applied" || kind === "price-changed";
}

/** Whether a refusal, of any endpoint, is about the coupon. */
export function isCouponRefusal(code: string | undefined): boolean {
  return code?.startsWith("coupon-") ?? false;
}

/** The message below the coupon field. No response, an unreadable one or a server error is a failed look-up. */
export function couponErrorMessage(refusal: { code: string; message: string } | null): string {
  if (refusal?.code === "invalid-input") return messageForCode("coupon-not-found");
  return refusal && isCouponRefusal(refusal.code) ? refusal.message : messageForCode("coupon-lookup-failed");
}
