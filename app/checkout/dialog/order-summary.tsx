import { formatPaise } from "#core/money.ts";
import { formatTime } from "#core/time.ts";
import { ContactButton } from "../../storefront/offer/contact-button.tsx";
import { OptionPrices } from "../../storefront/offer/option-prices.tsx";
import { DateOnly } from "../../time/date-time.tsx";
import { Money } from "../../ui/text.tsx";
import { type Elements, t, tNodes } from "../../ui/texts/texts.ts";
import { DateText } from "../../ui/time.tsx";
import { useShared } from "../../use-shared.ts";
import type { CheckoutOffer } from "../checkout-api.ts";
import { BillSkeleton, DurationsSkeleton } from "../sheet-skeleton.tsx";
import { Bill, type BillProps, CheckoutNotice, isAboutSigningIn } from "./bill.tsx";
import { type CheckoutState, canChooseOption } from "./checkout-state.ts";
import { OptionTickets } from "./option-tickets.tsx";
import { WorksElsewhere, WorksHere } from "./works-here.tsx";

interface OrderSummaryProps extends Omit<BillProps, "offer" | "isForSale"> {
  signedIn: boolean;
  /** Where a visitor signs in, in place of the bill. */
  account: Elements;
}

/** A tool that cannot be bought now has prices, but no total and no end of access. */
const NOT_FOR_SALE = new Set<CheckoutState["step"]["name"]>(["sold-out", "not-set-up"]);

/**
 * The durations, and below them the bill with the main button, or for a visitor the account. Keeps its shape in every state, so
 * that nothing jumps.
 */
export function OrderSummary({ state, signedIn, account, ...rest }: OrderSummaryProps) {
  const { step, offer } = state;
  if (step.name === "contact" && offer) return <ContactOffer offer={offer} state={state} />;
  const isForSale = !NOT_FOR_SALE.has(step.name);
  return (
    <div className="flex h-full flex-col gap-3 sm:gap-4">
      {isForSale ? <OpenCheckoutNotice payment={offer?.openCheckout ?? null} /> : null}
      {offer ? (
        <Durations state={state} offer={offer} isForSale={isForSale} dispatch={rest.dispatch} />
      ) : (
        <DurationsSkeleton tool={state.tool} />
      )}
      {!signedIn && isForSale ? (
        <>
          <WhySignIn state={state} />
          {account}
        </>
      ) : offer ? (
        <Bill state={state} offer={offer} isForSale={isForSale} {...rest} />
      ) : (
        <BillSkeleton />
      )}
    </div>
  );
}

/**
 * Says that the buyer's open checkout is not paid, or that its payment was declined. Rendered before it has content, so that
 * screen readers announce it.
 */
function OpenCheckoutNotice({ payment }: { payment: CheckoutOffer["openCheckout"] }) {
  const { timeZone } = useShared();
  return (
    <div role="status" className="text-xs empty:-mb-3 sm:empty:-mb-4">
      {payment ? (
        <p className="rounded-control bg-warning/15 px-3 py-2">
          {tNodes(
            payment.declined
              ? "A payment of {price} from {time} was declined. You can pay again."
              : "A payment of {price} from {time} was not finished. If you did pay, your pass appears by itself.",
            {
              price: <Money key="price">{formatPaise(payment.amountPaise)}</Money>,
              // The date would say nothing: a hold lasts minutes.
              time: (
                <DateText key="time" date={payment.startedAt}>
                  {formatTime(payment.startedAt, timeZone)}
                </DateText>
              ),
            },
          )}
        </p>
      ) : null}
    </div>
  );
}

function Durations({
  state: { step, optionLabel },
  offer,
  isForSale,
  dispatch,
}: Pick<BillProps, "state" | "offer" | "isForSale" | "dispatch">) {
  return (
    <div className="flex flex-col gap-3">
      <OptionTickets
        options={offer.options}
        chosen={optionLabel}
        onChoose={(label) => dispatch({ type: "option-chosen", label })}
        disabled={!canChooseOption(step)}
        note={
          <>
            <PreviousPass endedAt={offer.previousPassEndedAt} />
            {isForSale ? <WorksHere places={offer.worksOn} /> : null}
          </>
        }
      />
      {isForSale ? <WorksElsewhere places={offer.worksOn} /> : null}
    </div>
  );
}

/** Why a visitor has to sign in although they had begun to buy: the session has ended. */
function WhySignIn({ state }: { state: CheckoutState }) {
  const { step } = state;
  const notice = step.name === "payable" || step.name === "checking" ? step.notice : null;
  if (!isAboutSigningIn(notice?.kind)) return null;
  return <CheckoutNotice state={{ ...state, step: { name: "payable", notice } }} compact />;
}

function PreviousPass({ endedAt }: { endedAt: Date | null }) {
  if (!endedAt) return null;
  return (
    <p className="text-muted text-xs">
      {tNodes("Your last pass ended {date}.", { date: <DateOnly key="date" date={endedAt} /> })}
    </p>
  );
}

/** The offer of a tool that is sold by chat: its prices without a choice, and a link to the chat. */
function ContactOffer({ offer, state }: { offer: CheckoutOffer; state: CheckoutState }) {
  return (
    <div className="flex h-full flex-col gap-4">
      <section>
        <h3 className="text-sm">{t("Prices")}</h3>
        <OptionPrices options={offer.options} />
      </section>
      <div className="mt-auto flex flex-col gap-3">
        <ContactButton toolName={offer.name} variant="strong" wide className="min-h-12" />
        <CheckoutNotice state={state} />
      </div>
    </div>
  );
}
