import type { RefObject } from "react";
import { formatPaise } from "#core/money.ts";
import { addDays, formatDate } from "#core/time.ts";
import { Button } from "../ui/button.tsx";
import { DateText } from "../ui/date-text.tsx";
import { Money } from "../ui/money.tsx";
import { chargedPaise, chosenOption } from "./charged-amount.ts";
import type { CheckoutState } from "./checkout-state.ts";
import { progressWords } from "./checkout-words.ts";
import { ContactOffer } from "./contact-offer.tsx";
import { OptionTickets } from "./option-tickets.tsx";
import { SmallPrint } from "./small-print.tsx";
import type { ShownOffer } from "./wire.ts";

interface BillProps {
  state: CheckoutState;
  offer: ShownOffer;
  timeZone: string;
  payButton: RefObject<HTMLButtonElement | null>;
  onChoose: (label: string) => void;
  onPay: () => void;
  onRetry: () => void;
}

/** What it costs and the one button. Keeps its shape in every state, so that nothing jumps. */
export function Bill({ state, offer, timeZone, payButton, onChoose, onPay, onRetry }: BillProps) {
  const { step } = state;
  const option = chosenOption(state);
  if (step.name === "contact") return <ContactOffer offer={offer} state={state} />;
  if (!option) return null;
  const charged = chargedPaise(option);
  const original = option.originalPricePaise ?? 0;
  const until = addDays(offer.now, option.validityDays);
  return (
    <div className="flex h-full flex-col gap-4">
      <OptionTickets
        options={offer.options}
        chosen={state.optionLabel}
        onChoose={onChoose}
        disabled={step.name !== "payable"}
      />
      {/* A code for a discount has its row here, between the choice and the total. */}
      <div className={PAY_BAR}>
        <dl className="grid grid-cols-[1fr_auto] items-baseline gap-x-4">
          <dt className="font-medium">Total</dt>
          <dd className="flex items-baseline justify-end gap-2">
            {original > charged ? <Money struck>{formatPaise(original)}</Money> : null}
            <Money className="font-semibold text-xl tracking-tight">{formatPaise(charged)}</Money>
          </dd>
          <dt className="text-muted text-xs">
            Access until <DateText date={until}>{formatDate(until, timeZone)}</DateText>
          </dt>
          <dd className="min-h-5 text-right text-green text-xs tabular-nums">
            {original > charged ? `You save ${formatPaise(original - charged)}` : null}
          </dd>
        </dl>
        <MainButton
          state={state}
          amount={formatPaise(charged)}
          payButton={payButton}
          onPay={onPay}
          onRetry={onRetry}
        />
        <SmallPrint state={state} />
      </div>
    </div>
  );
}

/** Stays in sight while the options scroll, with what is paid in it; not in windows that it would fill. */
const PAY_BAR =
  "-bottom-6 -mb-6 mt-auto flex flex-col gap-3 bg-card pt-2 pb-6 [@media(min-height:26rem)]:sticky";

interface MainButtonProps extends Pick<BillProps, "state" | "payButton" | "onPay" | "onRetry"> {
  amount: string;
}

function MainButton({ state, amount, payButton, onPay, onRetry }: MainButtonProps) {
  const { step } = state;
  const className = "min-h-12";
  if (step.name === "sold-out" || step.name === "not-set-up") {
    return (
      <Button ref={payButton} wide className={className} onClick={onRetry}>
        Check again
      </Button>
    );
  }
  const progress = progressWords(state);
  const signIn = step.name === "payable" && isAboutSigningIn(step.notice?.kind);
  return (
    <Button
      ref={payButton}
      variant="strong"
      wide
      className={className}
      busy={progress !== null || step.name === "checking"}
      onClick={onPay}
    >
      {progress?.label ?? (signIn ? "Sign in" : `Pay ${amount}`)}
    </Button>
  );
}

function isAboutSigningIn(kind: string | undefined): boolean {
  return kind === "sign-in" || kind === "session-ended";
}
