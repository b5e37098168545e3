import ChevronDown from "lucide-react/icons/chevron-down";
import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { formatPaise } from "#core/money.ts";
import { MAX_COUPON_CODE } from "#core/typed-text.ts";
import { Spinner } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { TextField } from "../../ui/forms/text-field.tsx";
import { upperCaseProps } from "../../ui/forms/upper-case.ts";
import { LiveRegion } from "../../ui/text.tsx";
import { t } from "../../ui/texts/texts.ts";
import type { CheckoutEvent } from "./checkout-state.ts";
import { type CouponState, couponText, isUntouched } from "./coupon-machine.ts";

interface CouponRowProps {
  coupon: CouponState;
  discountPaise: number;
  /** The row cannot be edited now. */
  locked: boolean;
  /** A code that a visitor types is checked after the sign-in, for the account. */
  signedIn: boolean;
  dispatch: (event: CheckoutEvent) => void;
}

/** The coupon field behind a button. A row that holds a code, or held one, stays open. */
export function CouponRow(props: CouponRowProps) {
  const [isOpen, setIsOpen] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const contentId = useId();
  const holdsCode = !isUntouched(props.coupon);
  if (holdsCode && !isOpen) setIsOpen(true);

  const toggle = () => {
    const opens = !isOpen || holdsCode;
    // A phone opens its keyboard only for a focus within the tap.
    flushSync(() => setIsOpen(opens));
    if (!opens) return;
    field.current?.focus({ preventScroll: true });
    content.current?.scrollIntoView({ block: "nearest" });
  };
  return (
    // Below it a visitor sees the account form. Smaller margins keep its main button on the screen of a small phone.
    <div
      className={classNames(
        "flex flex-col items-stretch",
        props.signedIn
          ? "mt-auto max-sm:-mb-1.5 max-sm:border-line max-sm:border-t sm:mt-0"
          : isOpen
            ? "-mt-3.5"
            : "-my-3.5",
      )}
    >
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? contentId : undefined}
        onClick={toggle}
        className="-ml-1 flex min-h-11 items-center gap-1 self-start rounded-control px-1 font-medium text-accent text-sm underline-offset-4 hover:underline"
      >
        <ChevronDown
          aria-hidden="true"
          className={classNames("size-4 transition-transform duration-150", isOpen && "rotate-180")}
        />
        <span>{t("Have a coupon?")}</span>
      </button>
      {isOpen ? (
        <div ref={content} id={contentId} className="-mb-1.5 min-h-17.5 scroll-mb-60">
          <CouponField {...props} field={field} />
        </div>
      ) : null}
    </div>
  );
}

interface CouponFieldProps extends CouponRowProps {
  field: RefObject<HTMLInputElement | null>;
}

/** The coupon field; below it, in space that is always reserved, the discount or the error. */
function CouponField({ coupon, discountPaise, locked, signedIn, dispatch, field }: CouponFieldProps) {
  const row = useRef<HTMLDivElement>(null);
  const applied = coupon.name === "applied";
  const error = coupon.name === "entered" ? coupon.error : null;

  // On a small screen the row may be scrolled out of view when Pay checks the code.
  useEffect(() => {
    if (error !== null) row.current?.scrollIntoView({ block: "nearest" });
  }, [error]);

  const clicked = useRef(false);
  const edit = (text: string) => {
    clicked.current = false;
    dispatch({ type: "coupon-edited", text });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (!event.repeat && signedIn) dispatch({ type: "coupon-apply" });
  };
  return (
    <div ref={row} className="scroll-mb-60">
      <TextField
        ref={field}
        label={t("Coupon code")}
        labelHidden
        placeholder={t("Coupon code")}
        value={couponText(coupon)}
        readOnly={applied || locked}
        {...upperCaseProps(edit)}
        onKeyDown={onKeyDown}
        // A sheet that is shown again, as after the gateway's window, begins at Pay, also with a refused code in the field.
        autoFocus={false}
        maxLength={MAX_COUPON_CODE}
        autoComplete="off"
        autoCorrect="off"
        enterKeyHint="done"
        errors={error === null ? [] : [error]}
        {...(applied && {
          hint: <Discount percentage={coupon.discountPercentage} paise={discountPaise} />,
        })}
        {...(!signedIn && !applied && { hint: t("We’ll check it once you’ve signed in.") })}
        end={
          signedIn || applied ? (
            <button
              type="button"
              aria-disabled={locked || coupon.name === "checking" || undefined}
              aria-busy={coupon.name === "checking" || undefined}
              className={classNames(BUTTON, couponText(coupon).trim() === "" && "text-muted")}
              onClick={({ detail }) => {
                // The second click of a double click would remove the coupon again, or check it twice.
                if ((detail > 1 && clicked.current) || locked) return;
                clicked.current = true;
                if (!applied) return dispatch({ type: "coupon-apply" });
                dispatch({ type: "coupon-removed" });
                field.current?.focus();
              }}
            >
              {coupon.name === "checking" ? <Spinner /> : null}
              <span>{t(applied ? "Remove" : "Apply")}</span>
            </button>
          ) : undefined
        }
      />
      <LiveRegion message={announcement(coupon, discountPaise)} />
    </div>
  );
}

const BUTTON =
  "ml-auto inline-flex min-h-10 items-center gap-2 self-stretch rounded-control px-4 font-semibold text-sm underline-offset-4 hover:underline aria-disabled:cursor-default aria-disabled:text-muted";

function Discount({ percentage, paise }: { percentage: number; paise: number }) {
  return (
    <span className="flex justify-between font-medium text-green tabular-nums">
      <span>{t("{percentage}% off", { percentage })}</span>
      <span translate="no">{`−${formatPaise(paise)}`}</span>
    </span>
  );
}

function announcement(coupon: CouponState, discountPaise: number): string {
  switch (coupon.name) {
    case "applied":
      return t("Coupon applied: {percentage}% off, {amount} less.", {
        percentage: coupon.discountPercentage,
        amount: formatPaise(discountPaise),
      });
    case "removed":
      return t("Coupon removed.");
    default:
      return "";
  }
}
