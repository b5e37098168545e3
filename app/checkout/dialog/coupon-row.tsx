import { type CompositionEvent, type KeyboardEvent, useEffect, useRef } from "react";
import { formatPaise } from "#core/money.ts";
import { classNames } from "../../ui/class-names.ts";
import { LiveRegion } from "../../ui/live-region.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { CheckoutEvent } from "./checkout-state.ts";
import { type CouponState, couponText } from "./coupon-machine.ts";

interface CouponRowProps {
  coupon: CouponState;
  discountPaise: number;
  /** Nothing can be changed here for now. */
  locked: boolean;
  dispatch: (event: CheckoutEvent) => void;
}

/** One quiet line for a code; below it, in room that is always there, what it is worth or why it is not. */
export function CouponRow({ coupon, discountPaise, locked, dispatch }: CouponRowProps) {
  const field = useRef<HTMLInputElement>(null);
  const row = useRef<HTMLDivElement>(null);
  const applied = coupon.name === "applied";
  const error = coupon.name === "entered" ? coupon.error : null;

  // On a small screen the row may be out of sight when Pay brings its refusal.
  useEffect(() => {
    if (error !== null) row.current?.scrollIntoView({ block: "nearest" });
  }, [error]);

  const pressed = useRef(false);
  const edit = (text: string) => {
    pressed.current = false;
    dispatch({ type: "coupon-edited", text });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (!event.repeat) dispatch({ type: "coupon-apply" });
  };
  return (
    <div ref={row} className="-mb-3 min-h-17.5 scroll-mb-56">
      <TextField
        ref={field}
        label="Coupon code"
        labelHidden
        placeholder="Coupon code"
        value={couponText(coupon)}
        readOnly={applied || locked}
        onChange={({ currentTarget, nativeEvent }) =>
          edit(isComposing(nativeEvent) ? currentTarget.value : upperCased(currentTarget))
        }
        onCompositionEnd={({ currentTarget }: CompositionEvent<HTMLInputElement>) =>
          edit(upperCased(currentTarget))
        }
        onKeyDown={onKeyDown}
        maxLength={LONGEST_CODE}
        autoComplete="off"
        autoCorrect="off"
        autoCapitalize="characters"
        spellCheck={false}
        enterKeyHint="done"
        errors={error === null ? [] : [error]}
        {...(applied && {
          hint: <Discount percentage={coupon.discountPercentage} paise={discountPaise} />,
        })}
        end={
          <button
            type="button"
            aria-disabled={locked || coupon.name === "checking" || undefined}
            aria-busy={coupon.name === "checking" || undefined}
            className={classNames(BUTTON, couponText(coupon).trim() === "" && "text-muted")}
            onClick={({ detail }) => {
              // The second press of a double click would remove what the first one applied, or ask again.
              if ((detail > 1 && pressed.current) || locked) return;
              pressed.current = true;
              if (!applied) return dispatch({ type: "coupon-apply" });
              dispatch({ type: "coupon-removed" });
              field.current?.focus();
            }}
          >
            {coupon.name === "checking" ? <Spinner /> : null}
            {applied ? "Remove" : "Apply"}
          </button>
        }
      />
      <LiveRegion message={spoken(coupon, discountPaise)} />
    </div>
  );
}

const LONGEST_CODE = 60;
const BUTTON =
  "ml-auto inline-flex min-h-10 items-center gap-2 self-stretch rounded-control px-4 font-semibold text-sm underline-offset-4 hover:underline aria-disabled:cursor-default aria-disabled:text-muted";

function Discount({ percentage, paise }: { percentage: number; paise: number }) {
  return (
    <span className="flex justify-between font-medium text-green tabular-nums">
      <span>{percentage}% off</span>
      <span>−{formatPaise(paise)}</span>
    </span>
  );
}

function spoken(coupon: CouponState, discountPaise: number): string {
  switch (coupon.name) {
    case "applied":
      return `Coupon applied: ${coupon.discountPercentage}% off, ${formatPaise(discountPaise)} less.`;
    case "removed":
      return "Coupon removed.";
    default:
      return "";
  }
}

/** A keyboard that is still composing a word loses it when the field is changed under it. */
function isComposing(event: Event): boolean {
  return event instanceof InputEvent && event.isComposing;
}

/** Changes the field itself, so that the caret stays where it is. */
function upperCased(input: HTMLInputElement): string {
  const { selectionStart, selectionEnd } = input;
  const text = input.value.toUpperCase();
  if (text !== input.value) {
    input.value = text;
    input.setSelectionRange(selectionStart, selectionEnd);
  }
  return text;
}
