import type { RefObject } from "react";
import { DateOnly } from "../../date-time.tsx";
import { ComputerOnly, NeedsComputer } from "../../tools/extension/computer-only.tsx";
import { classNames } from "../../ui/class-names.ts";
import type { CheckoutOffer } from "../endpoints/api-schemas.ts";
import { CheckoutNotice } from "./checkout-notice.tsx";
import {
  type CheckoutEvent,
  type CheckoutState,
  currentQuote,
  isCouponEditable,
  selectedOption,
} from "./checkout-state.ts";
import { ContactOffer } from "./contact-offer.tsx";
import { CouponRow } from "./coupon-row.tsx";
import { MainButton } from "./main-button.tsx";
import { OptionTickets } from "./option-tickets.tsx";
import { Total } from "./total.tsx";
import { useCanStick } from "./use-can-stick.ts";

interface OrderSummaryProps {
  state: CheckoutState;
  offer: CheckoutOffer;
  payButton: RefObject<HTMLButtonElement | null>;
  dispatch: (event: CheckoutEvent) => void;
  onPay: () => void;
}

/** The options, the price and the main button. Keeps its shape in every state, so that nothing jumps. */
export function OrderSummary({ state, offer, payButton, dispatch, onPay }: OrderSummaryProps) {
  const { step, coupon } = state;
  const payBar = useCanStick();
  const option = selectedOption(state);
  const quote = currentQuote(state);
  if (step.name === "contact") return <ContactOffer offer={offer} state={state} />;
  if (!option || !quote) return null;
  // A tool that cannot be bought now has prices, but no total and no end of access.
  const isForSale = step.name !== "sold-out" && step.name !== "not-set-up";
  return (
    <div className="flex h-full flex-col gap-3 sm:gap-4">
      {isForSale ? (
        <ComputerOnly
          name={offer.name}
          places={offer.worksOn}
          advice="You can still buy it here and use it there."
        />
      ) : null}
      <OptionTickets
        options={offer.options}
        chosen={state.optionLabel}
        onChoose={(label) => dispatch({ type: "option-chosen", label })}
        disabled={step.name !== "payable"}
        note={<PreviousPass endedAt={offer.previousPassEndedAt} />}
      />
      {isForSale ? (
        <CouponRow
          coupon={coupon}
          discountPaise={quote.listPricePaise - quote.chargedPaise}
          locked={!isCouponEditable(state)}
          dispatch={dispatch}
        />
      ) : null}
      <div ref={payBar.ref} className={classNames(PAY_BAR, payBar.canStick && STICKY)}>
        {isForSale ? <Total option={option} quote={quote} serverTime={offer.now} /> : null}
        {isForSale ? <NeedsComputer places={offer.worksOn} /> : null}
        <MainButton
          state={state}
          amountPaise={quote.chargedPaise}
          payButton={payButton}
          onPay={onPay}
          onRetry={() => dispatch({ type: "retry" })}
        />
        {offer.gateway === "razorpay" && isForSale ? <SecuredBy isCharged={quote.chargedPaise > 0} /> : null}
        <CheckoutNotice state={state} />
      </div>
    </div>
  );
}

/** Keeps its line when nothing is charged, so that Pay does not move. */
function SecuredBy({ isCharged }: { isCharged: boolean }) {
  return (
    <p className="-mt-1.5 min-h-5 text-center text-muted text-xs">
      {isCharged ? "UPI · Cards · Secured by Razorpay" : null}
    </p>
  );
}

function PreviousPass({ endedAt }: { endedAt: Date | null }) {
  if (!endedAt) return null;
  return (
    <p className="text-muted text-xs">
      Your last pass ended <DateOnly date={endedAt} />.
    </p>
  );
}

const PAY_BAR = "-bottom-6 -mb-6 mt-auto flex flex-col gap-2 bg-card pt-2 pb-2 sm:gap-3";
/** Keeps the total visible while the options scroll. Not in low windows, which it would fill. */
const STICKY = "[@media(min-height:38rem)]:sticky";
