import ChevronDown from "lucide-react/icons/chevron-down";
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

/** The benefits on one side, the order summary or the outcome on the other; one below the other on phones. */
export function PurchaseDialog({
  state: current,
  dispatch,
  signedIn,
  focusAfterClose,
  onExited,
}: PurchaseDialogProps) {
  const { timeZone } = useShared();
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
      title={<span className="relative top-0.5 block pl-1">{name}</span>}
      start={<ToolLogo name={name} />}
      size="large"
      initialFocus={offer && !hasOutcome ? payButton : body}
      finalFocus={focusAfterClose}
    >
      <div
        ref={body}
        tabIndex={-1}
        className={classNames(
          "grid grid-cols-1 gap-x-8 gap-y-5 pt-1 outline-none sm:pt-2",
          isOnSale && "sm:grid-cols-[1fr_1.25fr]",
        )}
      >
        {isOnSale ? (
          <div className="flex flex-col gap-1 sm:gap-6 sm:border-line sm:border-r sm:pr-8">
            <Benefits setUpByHand={state.step.name === "contact"} />
            <About description={offer?.description ?? ""} />
          </div>
        ) : null}
        {/* As high as the order summary, so that the outcome has the same height. */}
        <div className="grid min-h-117.5 grid-cols-1 *:[grid-area:1/1] sm:min-h-119.5">
          {hasOutcome ? null : offer ? (
            <OrderSummary
              state={state}
              offer={offer}
              timeZone={timeZone}
              payButton={payButton}
              dispatch={dispatch}
              onPay={pay}
            />
          ) : (
            <OrderSummarySkeleton />
          )}
          {/* Rendered before it has content: screen readers announce changes of an existing status region only. */}
          <div role="status" className="pointer-events-none grid *:pointer-events-auto">
            {hasOutcome ? (
              <Outcome
                state={state}
                timeZone={timeZone}
                signedIn={signedIn}
                onSignIn={pay}
                onClose={close}
                onRetry={retry}
              />
            ) : null}
          </div>
        </div>
      </div>
    </Dialog>
  );
}

/** The description of the tool, to be read before paying. Folded on phones only. */
function About({ description }: { description: string }) {
  return (
    <>
      <details className="group -mb-3 sm:hidden">
        <summary className="-ml-1 flex min-h-11 list-none items-center gap-1 rounded-control text-muted text-xs [&::-webkit-details-marker]:hidden">
          <ChevronDown
            aria-hidden="true"
            className="-rotate-90 size-4 transition-transform duration-150 group-open:rotate-0"
          />
          What you get
        </summary>
        <p className="pb-3 text-muted text-xs">{description}</p>
      </details>
      <p className="hidden text-muted text-xs sm:block">{description}</p>
    </>
  );
}
