import type { RefObject } from "react";
import { formatDate } from "#core/time.ts";
import { classNames } from "../../ui/class-names.ts";
import { DateText } from "../../ui/date-text.tsx";
import type { ShownOffer } from "../endpoints/api-schemas.ts";
import { chosenOption, shownQuote } from "./charged-amount.ts";
import { isCouponOpen } from "./checkout-machine.ts";
import { CheckoutNotice } from "./checkout-notice.tsx";
import type { CheckoutEvent, CheckoutState } from "./checkout-state.ts";
import { ContactOffer } from "./contact-offer.tsx";
import { CouponRow } from "./coupon-row.tsx";
import { MainButton } from "./main-button.tsx";
import { OptionTickets } from "./option-tickets.tsx";
import { Total } from "./total.tsx";
import { useLeavesRoom } from "./use-can-stick.ts";

interface BillProps {
  state: CheckoutState;
  offer: ShownOffer;
  timeZone: string;
  payButton: RefObject<HTMLButtonElement | null>;
  dispatch: (event: CheckoutEvent) => void;
  onPay: () => void;
}

/** What it costs and the one button. Keeps its shape in every state, so that nothing jumps. */
export function OrderSummary({ state, offer, timeZone, payButton, dispatch, onPay }: BillProps) {
  const { step, coupon } = state;
  const payBar = useLeavesRoom();
  const option = chosenOption(state);
  const quote = shownQuote(state);
  if (step.name === "contact") return <ContactOffer offer={offer} state={state} />;
  if (!option || !quote) return null;
  // What cannot be bought now has a price, but no total and no end.
  const isForSale = step.name !== "sold-out" && step.name !== "not-set-up";
  return (
    <div className="flex h-full flex-col gap-3 sm:gap-4">
      <OptionTickets
        options={offer.options}
        chosen={state.optionLabel}
        onChoose={(label) => dispatch({ type: "option-chosen", label })}
        disabled={step.name !== "payable"}
        note={<LastPass endedAt={offer.previousPassEndedAt} timeZone={timeZone} />}
      />
      {isForSale ? (
        <CouponRow
          coupon={coupon}
          discountPaise={quote.listPricePaise - quote.chargedPaise}
          locked={!isCouponOpen(state)}
          dispatch={dispatch}
        />
      ) : null}
      <div ref={payBar.ref} className={classNames(PAY_BAR, payBar.leavesRoom && STICKY)}>
        {isForSale ? (
          <Total option={option} quote={quote} serverTime={offer.now} timeZone={timeZone} />
        ) : null}
        <MainButton
          state={state}
          amountPaise={quote.chargedPaise}
          payButton={payButton}
          onPay={onPay}
          onRetry={() => dispatch({ type: "retry" })}
        />
        <CheckoutNotice state={state} />
      </div>
    </div>
  );
}

function LastPass({ endedAt, timeZone }: { endedAt: Date | null; timeZone: string }) {
  if (!endedAt) return null;
  return (
    <p className="text-muted text-xs">
      Your last pass ended <DateText date={endedAt}>{formatDate(endedAt, timeZone)}</DateText>.
    </p>
  );
}

const PAY_BAR = "-bottom-6 -mb-6 mt-auto flex flex-col gap-3 bg-card pt-2 pb-6";
/** In sight while the options scroll, with what is paid in it; not in windows that it would fill. */
const STICKY = "[@media(min-height:38rem)]:sticky";
