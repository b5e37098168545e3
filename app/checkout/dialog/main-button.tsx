import type { RefObject } from "react";
import { formatPaise } from "#core/money.ts";
import { Button } from "../../ui/button.tsx";
import { progressMessage } from "./checkout-messages.ts";
import type { CheckoutState } from "./checkout-state.ts";

interface MainButtonProps {
  state: CheckoutState;
  amountPaise: number;
  payButton: RefObject<HTMLButtonElement | null>;
  onPay: () => void;
  onRetry: () => void;
}

/** The main button of the order summary; its label says what it does in this state. */
export function MainButton({ state, amountPaise, payButton, onPay, onRetry }: MainButtonProps) {
  const { step, coupon } = state;
  const className = "min-h-12";
  if (step.name === "sold-out" || step.name === "not-set-up") {
    return (
      <Button ref={payButton} wide className={className} onClick={onRetry}>
        Check again
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
  if (coupon.name === "checking" && coupon.beforePaying) return "Checking coupon…";
  if (step.name === "payable" && isAboutSigningIn(step.notice?.kind)) return "Sign in";
  return amountPaise === 0 ? "Get access for ₹0" : `Pay ${formatPaise(amountPaise)}`;
}

function isAboutSigningIn(kind: string | undefined): boolean {
  return kind === "sign-in" || kind === "session-ended";
}
