import { useShared } from "../../use-shared.ts";
import { shownQuote } from "./charged-amount.ts";
import { noticeWords, progressWords } from "./checkout-messages.ts";
import type { CheckoutState, Notice } from "./checkout-state.ts";

const TITLE_TONES = { quiet: "text-ink", bad: "text-red" };

/** One place below the button for all that may have to be said there, as high as its longest words, and heard too. */
export function CheckoutNotice({ state }: { state: CheckoutState }) {
  const { testPayments } = useShared();
  const { title, text, tone } = wordsOf(state, testPayments);
  return (
    <div role="status" className="min-h-10 text-muted text-xs">
      {title ? <p className={`font-semibold ${TITLE_TONES[tone]}`}>{title}</p> : null}
      {text ? <p>{text}</p> : null}
    </div>
  );
}

interface PrintWords {
  tone: keyof typeof TITLE_TONES;
  title: string;
  text: string;
}

function wordsOf(state: CheckoutState, testPayments: boolean): PrintWords {
  const { step } = state;
  const quote = shownQuote(state);
  const raised = quote?.raisedToMinimum ?? false;
  const quiet = (title: string, text: string): PrintWords => ({ tone: "quiet", title, text });
  const progress = progressWords(state);
  if (progress) return quiet("", progress.text);
  switch (step.name) {
    case "sold-out":
      return quiet("Tool is out of stock", "Please check back later.");
    case "not-set-up":
      return quiet("Payments are not set up in this shop yet.", "Nothing can be charged.");
    case "contact":
      return quiet("", "Sold through our chat: message us and we will set it up for you.");
    case "payable":
      if (step.notice) return withRaise(noticeWords(step.notice), step.notice, raised);
      break;
    default:
      break;
  }
  if (quote?.chargedPaise === 0) return quiet("", "Nothing is charged. Access starts at once.");
  if (raised) return quiet(SMALLEST_TITLE, SMALLEST);
  // The page's banner lies behind the dialog.
  if (testPayments) return quiet("Test payments", "No money moves in this shop.");
  return quiet(
    "",
    "Access starts when your payment arrives. If we cannot deliver, you are refunded automatically.",
  );
}

const SMALLEST_TITLE = "You pay ₹1.";
const SMALLEST = "The smallest amount that can be charged is ₹1.";

/** A new price that is higher than the discount leaves is explained before it is paid. */
function withRaise(words: PrintWords, { kind }: Notice, raised: boolean): PrintWords {
  const isNewPrice = kind === "coupon-applied" || kind === "price-changed";
  return raised && isNewPrice ? { ...words, text: SMALLEST } : words;
}
