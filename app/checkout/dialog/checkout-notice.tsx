import { messageForCode } from "../../middleware/error-messages.ts";
import { useShared } from "../../use-shared.ts";
import { type NoticeMessage, noticeMessage, progressMessage } from "./checkout-messages.ts";
import { type CheckoutState, currentQuote, type Notice } from "./checkout-state.ts";

const TITLE_TONES = { quiet: "text-ink", bad: "text-red" };

/** The message below the main button, also announced by screen readers. Its height fits the longest message. */
export function CheckoutNotice({ state }: { state: CheckoutState }) {
  const { testPayments } = useShared();
  const { title, text, tone } = messageFor(state, testPayments);
  return (
    <div role="status" className="min-h-15 text-muted text-xs">
      {title ? <p className={`font-semibold ${TITLE_TONES[tone]}`}>{title}</p> : null}
      {text ? <p>{text}</p> : null}
    </div>
  );
}

function messageFor(state: CheckoutState, testPayments: boolean): NoticeMessage {
  const { step } = state;
  const quote = currentQuote(state);
  const isMinimumCharge = quote?.raisedToMinimum ?? false;
  const quiet = (title: string, text: string): NoticeMessage => ({ tone: "quiet", title, text });
  const progress = progressMessage(state);
  if (progress) return quiet("", progress.text);
  switch (step.name) {
    case "sold-out":
      return quiet(messageForCode("tool-out-of-stock"), "Please check back later.");
    case "not-set-up":
      return quiet("Payments are not set up in this shop yet.", "Nothing can be charged.");
    case "contact":
      return quiet("", "Sold on WhatsApp. Message us and we’ll set it up.");
    case "payable":
      if (step.notice) {
        const message = noticeMessage(step.notice);
        return isMinimumCharge && showsNewPrice(step.notice) ? { ...message, text: MINIMUM_TEXT } : message;
      }
      break;
    default:
      break;
  }
  if (quote?.chargedPaise === 0) return quiet("", "Nothing is charged. Access starts at once.");
  if (isMinimumCharge) return quiet(MINIMUM_TITLE, MINIMUM_TEXT);
  // The page's banner for test payments is behind the dialog.
  if (testPayments) return quiet("Test payments", "No money moves in this shop.");
  return quiet(
    "",
    "Access starts once your payment is confirmed. If we can’t deliver, you’re refunded automatically.",
  );
}

const MINIMUM_TITLE = "You pay ₹1.";
const MINIMUM_TEXT = "The smallest amount that can be charged is ₹1.";

function showsNewPrice({ kind }: Notice): boolean {
  return kind === "coupon-applied" || kind === "price-changed";
}
