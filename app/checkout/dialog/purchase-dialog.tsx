import { useRef, useState } from "react";
import { ToolLogo } from "../../storefront/tool-logo.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { useShared } from "../../use-shared.ts";
import { Benefits } from "./benefits.tsx";
import type { CheckoutEvent, CheckoutState, Step } from "./checkout-state.ts";
import { OrderSummary } from "./order-summary.tsx";
import { OrderSummarySkeleton } from "./order-summary-skeleton.tsx";
import { Outcome } from "./outcome.tsx";
import { WhatYouGet, WhatYouGetSkeleton } from "./what-you-get.tsx";

/** Hidden while another dialog or window is open: a modal dialog would take the focus from it. */
const HIDDEN_STEPS = new Set<Step["name"]>(["closed", "signing-in", "paying"]);

const OUTCOME_STEPS = new Set<Step["name"]>([
  "owned",
  "success",
  "free",
  "refunded",
  "not-taken",
  "cancelled",
  "late",
  "missing",
  "unreachable",
]);

export function isDialogShown({ step, visible }: CheckoutState): boolean {
  return visible && !HIDDEN_STEPS.has(step.name);
}

interface PurchaseDialogProps {
  state: CheckoutState;
  dispatch: (event: CheckoutEvent) => void;
  signedIn: boolean;
  /** The element to focus after closing; false leaves the focus to the window that opens next. */
  focusAfterClose: () => HTMLElement | false | null;
  onExited: () => void;
}

/** What the pass includes on one side, the order summary or the outcome on the other; one below the other on phones. */
export function PurchaseDialog({
  state: current,
  dispatch,
  signedIn,
  focusAfterClose,
  onExited,
}: PurchaseDialogProps) {
  const { user } = useShared();
  const payButton = useRef<HTMLButtonElement>(null);
  const body = useRef<HTMLDivElement>(null);
  // The dialog keeps its last content while it fades out.
  const [shown, setShown] = useState(current);
  const isShown = isDialogShown(current);
  if (isShown && shown !== current) setShown(current);
  const state = isShown ? current : shown;
  const { offer, tool } = state;
  const name = offer?.name ?? tool?.name ?? "";
  const pay = () => dispatch({ type: "pay", signedIn });
  const retry = () => dispatch({ type: "retry" });
  const close = () => dispatch({ type: "close" });
  const hasOutcome = OUTCOME_STEPS.has(state.step.name);
  const isOnSale = state.step.name !== "missing";
  return (
    <Dialog
      open={isShown}
      onOpenChange={(open) => {
        if (!open) close();
      }}
      onOpenChangeComplete={(open) => {
        if (!open) onExited();
      }}
      title={<span className={`relative block pl-1 ${user ? "-top-1" : "top-0.5"}`}>{name}</span>}
      description={
        user ? (
          <span title={user.email} className="-top-1 -mt-1 relative block truncate pl-1 text-xs">
            For {user.email}
          </span>
        ) : undefined
      }
      start={<ToolLogo name={name} />}
      size="tall"
      initialFocus={offer && !hasOutcome ? payButton : body}
      finalFocus={focusAfterClose}
    >
      <div
        ref={body}
        tabIndex={-1}
        className={classNames(
          "grid min-h-full scroll-my-6 grid-cols-1 grid-rows-[auto_1fr] gap-x-8 gap-y-4 pt-1 outline-none sm:grid-rows-1 sm:pt-2",
          isOnSale && "sm:grid-cols-[1fr_1.25fr]",
        )}
      >
        {isOnSale ? (
          <div className="flex flex-col gap-2 sm:gap-5 sm:border-line sm:border-r sm:pr-8">
            <Benefits step={state.step.name} />
            {offer ? <WhatYouGet key={offer.slug} offer={offer} /> : <WhatYouGetSkeleton />}
          </div>
        ) : null}
        <div className="grid grid-cols-1 *:[grid-area:1/1]">
          {hasOutcome ? null : offer ? (
            <OrderSummary state={state} offer={offer} payButton={payButton} dispatch={dispatch} onPay={pay} />
          ) : (
            <OrderSummarySkeleton />
          )}
          {/* Rendered before it has content: screen readers announce changes of an existing status region only. */}
          <div role="status" className="pointer-events-none grid *:pointer-events-auto">
            {hasOutcome ? (
              <Outcome state={state} signedIn={signedIn} onSignIn={pay} onClose={close} onRetry={retry} />
            ) : null}
          </div>
        </div>
      </div>
    </Dialog>
  );
}
