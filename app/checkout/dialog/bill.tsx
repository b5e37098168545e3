import { type RefCallback, type RefObject, useCallback, useEffect, useState } from "react";
import type { Quote } from "#core/checkout/pricing.ts";
import { formatPaise } from "#core/money.ts";
import { addDays } from "#core/time.ts";
import { Icon, UNDO } from "../../storefront/icons.tsx";
import { ContactButton } from "../../storefront/offer/contact-button.tsx";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/card.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Money, VisuallyHidden } from "../../ui/text.tsx";
import { type Elements, t } from "../../ui/texts/texts.ts";
import { useShared } from "../../use-shared.ts";
import type { CheckoutOffer, PricingOption } from "../checkout-api.ts";
import { AccessUntil, RunsFrom } from "./bought-pass.tsx";
import { messageBelowButton, progressMessage } from "./checkout-messages.ts";
import {
  type CheckoutEvent,
  type CheckoutState,
  currentQuote,
  isCouponEditable,
  selectedOption,
} from "./checkout-state.ts";
import { appliedCode } from "./coupon-machine.ts";
import { CouponRow } from "./coupon-row.tsx";

export interface BillProps {
  state: CheckoutState;
  offer: CheckoutOffer;
  /** Otherwise there is no total. */
  isForSale: boolean;
  /** The current time by the server's clock. */
  now: Date;
  payButton: RefObject<HTMLButtonElement | null>;
  dispatch: (event: CheckoutEvent) => void;
  onPay: () => void;
}

/** The coupon, the price and the main button. */
export function Bill({ state, offer, isForSale, now, payButton, dispatch, onPay }: BillProps) {
  const payBar = useCanStick();
  const option = selectedOption(state);
  const quote = currentQuote(state);
  if (!option || !quote) return null;
  return (
    <>
      {isForSale ? (
        <CouponRow
          coupon={state.coupon}
          discountPaise={quote.listPricePaise - quote.chargedPaise}
          locked={!isCouponEditable(state)}
          signedIn
          dispatch={dispatch}
        />
      ) : null}
      <div
        ref={payBar.ref}
        className={classNames(PAY_BAR, payBar.canStick && "sticky", !isForSale && "mt-auto")}
      >
        {isForSale ? (
          <Total option={option} quote={quote} now={now} startsAt={state.renews ? offer.ownedUntil : null} />
        ) : null}
        {isForSale ? (
          <Promises isCharged={quote.chargedPaise > 0} hasGateway={offer.gateway === "razorpay"} />
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
    </>
  );
}

/** The coupon, and the price of the selected option beside the button of the account, which stays visible above the keyboard. */
export function AccountEnd({
  state,
  dispatch,
  children,
}: Pick<BillProps, "state" | "dispatch"> & { children: Elements }) {
  const bar = useCanStick();
  const quote = currentQuote(state);
  const code = appliedCode(state.coupon);
  // Beside a coupon stands the price from which it is taken off.
  const before =
    quote === null ? 0 : code === null ? priceBefore(selectedOption(state), quote) : quote.listPricePaise;
  return (
    <>
      {state.offer === null ? null : (
        <CouponRow
          coupon={state.coupon}
          discountPaise={quote === null ? 0 : quote.listPricePaise - quote.chargedPaise}
          locked={!isCouponEditable(state)}
          signedIn={false}
          dispatch={dispatch}
        />
      )}
      <div ref={bar.ref} className={classNames(PAY_BAR, bar.canStick && "sticky", "mt-auto")}>
        <div className="flex w-full flex-wrap items-center gap-x-3 gap-y-1">
          {quote === null ? (
            <Skeleton className="h-8 w-16" />
          ) : (
            <p>
              <VisuallyHidden>{`${t("Total")} `}</VisuallyHidden>
              <Money className="block font-semibold text-xl leading-none tracking-tight">
                {formatPaise(quote.chargedPaise)}
              </Money>
              {before > quote.chargedPaise ? (
                <span className="flex gap-x-1.5 text-xs">
                  <Money struck>{formatPaise(before)}</Money>
                  {code === null ? null : (
                    <span title={code} className="max-w-24 truncate font-medium text-green">
                      {code}
                    </span>
                  )}
                </span>
              ) : null}
            </p>
          )}
          <div className="min-w-[min(100%,8rem)] flex-1">{children}</div>
        </div>
        <p className="w-full text-center text-muted text-xs">
          {quote?.chargedPaise === 0 ? t("No payment") : t("You pay on the next step.")}
        </p>
      </div>
    </>
  );
}

/** How a payment is made, and what the shop promises. Keeps its height when nothing is charged, so that Pay does not move. */
function Promises({ isCharged, hasGateway }: { isCharged: boolean; hasGateway: boolean }) {
  return (
    <p className={classNames(PROMISES, !isCharged && "invisible")}>
      {hasGateway ? <span>{t("UPI · Cards · Secured by Razorpay")}</span> : null}
      <span className="flex items-center gap-1.5">
        <Icon shape={UNDO} className="size-4 shrink-0 text-accent" />
        <span>{t("Refund if we can’t deliver")}</span>
      </span>
    </p>
  );
}

const PROMISES = "flex flex-wrap items-center justify-between gap-x-4 text-muted text-xs low:hidden";

/** Stays visible while the options scroll. In low windows, such as a phone held sideways, the total and the button share a row. */
const PAY_BAR =
  "-bottom-6 sm:-mb-6 flex flex-col gap-2 bg-card pt-2 pb-2 sm:gap-3 low:flex-row low:flex-wrap low:items-center low:gap-x-4 low:gap-y-1 low:border-line low:border-t low:pt-1.5 low:pb-1";

interface TotalProps {
  option: PricingOption;
  quote: Quote;
  /** The current time by the server's clock. */
  now: Date;
  /** When a renewal starts; null: access starts at once. */
  startsAt: Date | null;
}

const ROW = "flex flex-wrap items-baseline gap-x-4";

/** What the buyer would pay without any saving. What a coupon takes off is a part of what the buyer saves. */
function priceBefore(option: PricingOption | null, { listPricePaise }: Quote): number {
  return Math.max(option?.originalPricePaise ?? 0, listPricePaise);
}

/**
 * The charged amount, and the end of access for a payment made now, or the time of a renewal. The price before is beside the amount
 * and the saving under it: a coupon adds no line, so Pay does not move.
 */
function Total({ option, quote, now, startsAt }: TotalProps) {
  const { chargedPaise: charged } = quote;
  const until = addDays(startsAt ?? now, option.validityDays);
  const before = priceBefore(option, quote);
  return (
    <dl className="low:min-w-0 low:flex-1">
      <div className={ROW}>
        <dt className="font-medium">{t("Total")}</dt>
        <dd className="ml-auto flex flex-wrap items-baseline justify-end gap-x-2">
          {before > charged ? <Money struck>{formatPaise(before)}</Money> : null}
          <Money className="font-semibold text-xl tracking-tight">{formatPaise(charged)}</Money>
        </dd>
      </div>
      <div className={ROW}>
        <dt className="text-muted text-xs">
          {startsAt ? <RunsFrom start={startsAt} until={until} /> : <AccessUntil date={until} />}
        </dt>
        <dd className="low:hidden ml-auto text-right text-green text-xs tabular-nums">
          {before > charged ? t("You save {amount}", { amount: formatPaise(before - charged) }) : null}
        </dd>
      </div>
    </dl>
  );
}

const MINUTE_MS = 60_000;

/**
 * The current time by the server's clock, updated at each full minute. It never goes back: a later response may have been slower.
 * A dialog uses it outside of its content, which is mounted again after each time that it was hidden.
 *
 * @param start the server's time when it responded
 */
export function useServerClock(start: Date | undefined): Date {
  const startMs = start?.getTime() ?? 0;
  const [now, setNow] = useState(startMs);

  useEffect(() => {
    // Only the elapsed time is taken from the browser's clock: the clock itself may be wrong.
    const ahead = Date.now() - startMs;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tick = () => {
      const current = Date.now() - ahead;
      setNow((before) => Math.max(before, current));
      timer = setTimeout(tick, MINUTE_MS - (current % MINUTE_MS));
    };
    tick();
    return () => clearTimeout(timer);
  }, [startMs]);

  return new Date(Math.max(now, startMs));
}

/** The largest share of the scroll container's height that a sticky element may take. */
const LARGEST_SHARE = 0.6;

/**
 * Whether an element of a dialog is low enough to be sticky. With large text or a long message it would hide the
 * content that scrolls behind it, so it has to scroll too.
 */
function useCanStick(): { canStick: boolean; ref: RefCallback<HTMLElement> } {
  const [canStick, setCanStick] = useState(true);

  const ref = useCallback((element: HTMLElement | null) => {
    const scroller = element?.closest(".dialog-body");
    if (!element || !scroller) return;
    const observer = new ResizeObserver(() =>
      setCanStick(element.offsetHeight <= scroller.clientHeight * LARGEST_SHARE),
    );
    observer.observe(element);
    observer.observe(scroller);
    return () => observer.disconnect();
  }, []);

  return { canStick, ref };
}

interface MainButtonProps {
  state: CheckoutState;
  amountPaise: number;
  payButton: RefObject<HTMLButtonElement | null>;
  onPay: () => void;
  onRetry: () => void;
}

/** The main button of the order summary; its label says what it does in this state. */
function MainButton({ state, amountPaise, payButton, onPay, onRetry }: MainButtonProps) {
  const { step, coupon, offer } = state;
  const className = "min-h-12 low:w-auto low:px-4";
  if (step.name === "not-set-up" && offer)
    return <ContactButton toolName={offer.name} variant="strong" wide className={className} />;
  if (step.name === "sold-out") {
    return (
      <Button ref={payButton} wide className={className} onClick={onRetry}>
        {t("Check again")}
      </Button>
    );
  }
  const progress = progressMessage(state);
  const busy = progress !== null || step.name === "checking" || coupon.name === "checking";
  return (
    <Button
      ref={payButton}
      variant="strong"
      wide
      className={className}
      busy={busy}
      onClick={({ detail }) => {
        // The second click of a double click would pay a price that the first one has just changed.
        if (detail <= 1) onPay();
      }}
    >
      {progress?.label ?? payLabel(state, amountPaise)}
    </Button>
  );
}

function payLabel({ step, coupon }: CheckoutState, amountPaise: number): string {
  if (coupon.name === "checking" && coupon.beforePaying) return t("Checking coupon…");
  if (step.name === "payable" && isAboutSigningIn(step.notice?.kind)) return t("Sign in");
  return amountPaise === 0 ? t("Get access for ₹0") : t("Pay {amount}", { amount: formatPaise(amountPaise) });
}

export function isAboutSigningIn(kind: string | undefined): boolean {
  return kind === "sign-in" || kind === "session-ended";
}

const TITLE_TONES = { quiet: "text-ink", bad: "text-red" };

/** The message below the main button, also announced by screen readers. On wide screens its height fits the longest message. */
export function CheckoutNotice({ state, compact = false }: { state: CheckoutState; compact?: boolean }) {
  const { testPayments } = useShared();
  const { title, text, tone } = messageBelowButton(state, testPayments);
  return (
    <div
      role="status"
      className={classNames(
        "text-muted text-xs",
        !compact && "min-h-10 low:flex low:min-h-0 low:w-full low:flex-wrap low:gap-x-1.5 sm:min-h-15",
      )}
    >
      {title ? <p className={`font-semibold ${TITLE_TONES[tone]}`}>{title}</p> : null}
      {text ? <p>{text}</p> : null}
    </div>
  );
}
