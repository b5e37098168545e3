import Check from "lucide-react/icons/check";
import ChevronDown from "lucide-react/icons/chevron-down";
import Clock from "lucide-react/icons/clock";
import InfinityIcon from "lucide-react/icons/infinity";
import Sparkles from "lucide-react/icons/sparkles";
import { useId, useRef, useState } from "react";
import { WorksOn } from "../../storefront/offer/works-on.tsx";
import { ToolLogo } from "../../storefront/tool-logo.tsx";
import { Skeleton } from "../../ui/card.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { VisuallyHidden } from "../../ui/text.tsx";
import { useShared } from "../../use-shared.ts";
import type { CheckoutOffer } from "../checkout-api.ts";
import type { CheckoutEvent, CheckoutState, Step } from "./checkout-state.ts";
import { OrderSummary } from "./order-summary.tsx";
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
  const renew = () => {
    dispatch({ type: "renew" });
    // The button that has the focus disappears.
    body.current?.focus();
  };
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
              <Outcome
                state={state}
                signedIn={signedIn}
                onSignIn={pay}
                onClose={close}
                onRenew={renew}
                onRetry={retry}
              />
            ) : null}
          </div>
        </div>
      </div>
    </Dialog>
  );
}

const USUAL_OPTIONS = ["first", "second", "third"];

/** The order summary while the offer is being loaded, in the same shape. */
function OrderSummarySkeleton() {
  return (
    <div role="status" className="flex h-full flex-col gap-3 sm:gap-4">
      <VisuallyHidden>Checking access</VisuallyHidden>
      <div className="grid gap-2">
        <Skeleton className="h-5.5 w-20" />
        {USUAL_OPTIONS.map((key) => (
          <Skeleton key={key} className="h-14 rounded-control" />
        ))}
      </div>
      <Skeleton className="my-3 h-5 w-32" />
      <div className="mt-auto flex items-center justify-between">
        <Skeleton className="h-4 w-32" />
        <Skeleton className="h-8 w-24" />
      </div>
      <Skeleton className="h-12 rounded-control" />
      <Skeleton className="mb-5 h-10" />
    </div>
  );
}

/** The limits of a tool are among its features, and "Unlimited usage" must not contradict them. */
const LIMITS_TEXT = "The tool’s own daily limits still apply.";

/** What every pass includes: with explanations on wide screens; on phones one short row, and the limits. */
function Benefits({ step }: { step: Step["name"] }) {
  const benefits = [
    { Icon: Sparkles, title: "Premium access", text: accessText(step) },
    { Icon: InfinityIcon, title: "Unlimited usage", text: LIMITS_TEXT },
    { Icon: Clock, title: "24/7", text: "Open it any time, day or night." },
  ];
  return (
    <div>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 sm:flex-col sm:gap-3">
        {benefits.map(({ Icon, title, text }) => (
          <li key={title} className="flex items-center gap-1.5 sm:items-start sm:gap-3">
            <Icon
              aria-hidden="true"
              className="size-4 shrink-0 text-accent sm:mt-0.5 sm:size-5"
              strokeWidth={1.75}
            />
            <div>
              <p className="font-medium text-xs sm:text-sm">{title}</p>
              <p className="hidden text-muted text-xs sm:block">{text}</p>
            </div>
          </li>
        ))}
      </ul>
      <p className="text-muted text-xs sm:hidden">{LIMITS_TEXT}</p>
    </div>
  );
}

function accessText(step: Step["name"]): string {
  if (step === "contact") return "The paid plan, set up for you on WhatsApp.";
  if (step === "free") return "Yours to use as soon as you sign in.";
  return "The paid plan, unlocked as soon as you pay.";
}

/** Features that a phone shows without a tap. */
const FEATURES_SHOWN = 3;
/** On a low screen the durations come first. */
const SHOWN_WHEN_HIGH = "max-sm:[@media(max-height:44rem)]:hidden";

/** The description of the tool, where it works and all of its features, to be read before paying. Phones fold all but the first features. */
function WhatYouGet({ offer: { description, features, worksOn } }: { offer: CheckoutOffer }) {
  const [isOpen, setIsOpen] = useState(false);
  const contentId = useId();
  const foldedOnPhones = isOpen ? undefined : "max-sm:hidden";
  const foldingOf = (index: number) => {
    if (isOpen || index === 0) return undefined;
    return index < FEATURES_SHOWN ? SHOWN_WHEN_HIGH : "max-sm:hidden";
  };
  return (
    <section className="flex flex-col sm:gap-4">
      <h3 className="sr-only">What you get</h3>
      <div id={contentId} className="flex flex-col gap-2 sm:flex-col-reverse sm:gap-3">
        <ul className="flex flex-col gap-0.5 text-xs sm:gap-1">
          {features.map((feature, index) => (
            <li key={feature} className={classNames("flex gap-2", foldingOf(index))}>
              <Check aria-hidden="true" className="h-[1lh] w-3.5 shrink-0 text-accent" strokeWidth={2.5} />
              <span className="wrap-anywhere min-w-0">{feature}</span>
            </li>
          ))}
        </ul>
        <p className={classNames("wrap-anywhere text-muted text-xs", foldedOnPhones)}>{description}</p>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-x-3">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={contentId}
          onClick={() => setIsOpen(!isOpen)}
          className="-ml-1 flex min-h-11 items-center gap-1 rounded-control px-1 text-muted text-xs sm:hidden"
        >
          <ChevronDown
            aria-hidden="true"
            className={classNames("size-4 transition-transform duration-150", isOpen && "rotate-180")}
          />
          {isOpen ? "Show less" : moreLabel(features.length)}
        </button>
        <WorksOn places={worksOn} className="text-xs" />
      </div>
    </section>
  );
}

function moreLabel(features: number): string {
  return features > FEATURES_SHOWN ? `All ${features} features` : "About this tool";
}

/** The same shape while the offer is being loaded. */
function WhatYouGetSkeleton() {
  return (
    <div aria-hidden="true" className="flex flex-col gap-2 pb-11 sm:gap-3 sm:pb-0">
      <Skeleton className="hidden h-12 sm:block" />
      <Skeleton className="h-4 w-4/5" />
      <Skeleton className={`h-4 w-3/5 ${SHOWN_WHEN_HIGH}`} />
      <Skeleton className={`h-4 w-2/3 ${SHOWN_WHEN_HIGH}`} />
    </div>
  );
}
