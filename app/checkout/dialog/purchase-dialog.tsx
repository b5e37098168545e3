import Check from "lucide-react/icons/check";
import ChevronDown from "lucide-react/icons/chevron-down";
import Clock from "lucide-react/icons/clock";
import InfinityIcon from "lucide-react/icons/infinity";
import Sparkles from "lucide-react/icons/sparkles";
import { type RefObject, useId, useLayoutEffect, useRef, useState } from "react";
import { DEFAULT_BENEFITS } from "#core/catalog/limits.ts";
import { AccountView } from "../../auth/dialog/account-view.tsx";
import { WorksOn } from "../../storefront/offer/works-on.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { langOf, plural, t } from "../../ui/texts/texts.ts";
import { useShared } from "../../use-shared.ts";
import type { CheckoutOffer } from "../checkout-api.ts";
import {
  SHEET_GRID,
  SHEET_OF_TOOL,
  SHEET_ORDER,
  useSheetHead,
  WhatYouGetSkeleton,
} from "../sheet-skeleton.tsx";
import { AccountEnd, useServerClock } from "./bill.tsx";
import type { CheckoutEvent, CheckoutState, Step } from "./checkout-state.ts";
import { OrderSummary } from "./order-summary.tsx";
import { Outcome } from "./outcome.tsx";

/** Hidden while another dialog or window is open: a modal dialog would take the focus from it. */
const HIDDEN_STEPS = new Set<Step["name"]>(["closed", "signing-in", "paying"]);

/** What happened, in place of the order summary. */
export const OUTCOME_STEPS: ReadonlySet<Step["name"]> = new Set<Step["name"]>([
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

/** Nothing is bought, so the dialog is as high as its content. After a payment it keeps its height. */
const SMALL_STEPS = new Set<Step["name"]>(["contact", "owned", "free", "missing", "unreachable"]);

const PASS_ALONE_ON_PHONES = "max-sm:[&>:not([role=status])]:hidden";

export function isDialogShown({ step, visible }: CheckoutState): boolean {
  return visible && !HIDDEN_STEPS.has(step.name);
}

interface PurchaseDialogProps {
  state: CheckoutState;
  dispatch: (event: CheckoutEvent) => void;
  signedIn: boolean;
  /** A visitor asks for a new password. */
  isResetting: boolean;
  onReset: (isResetting: boolean) => void;
  /** A shell of it was shown while its code was loaded. */
  replacesShell: boolean;
  onClose: () => void;
  /** The element to focus after closing; false leaves the focus to the window that opens next. */
  focusAfterClose: () => HTMLElement | false | null;
}

/**
 * The ticket of a tool as a sheet: the durations, then for a buyer the bill and for a visitor the account, then what the pass
 * includes, which stands beside them on wide screens. A purchase turns it into the pass.
 */
export function PurchaseDialog({
  state: current,
  dispatch,
  signedIn,
  isResetting,
  onReset,
  replacesShell,
  onClose,
  focusAfterClose,
}: PurchaseDialogProps) {
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
  const hasOutcome = OUTCOME_STEPS.has(state.step.name);
  const isSmall = SMALL_STEPS.has(state.step.name) || (offer === null && tool?.known?.contactOnly === true);
  const isAboutTool = state.step.name !== "missing";
  useFocusAfterSignIn(isShown, signedIn, payButton);
  const now = useServerClock(offer?.now);
  return (
    <Dialog
      open={isShown}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      {...useSheetHead(name, offer?.description ?? tool?.known?.description)}
      size={isSmall ? "ticket" : "tall"}
      staysForPurchase
      // The page of what was bought takes the place of the success.
      instant={isShown ? replacesShell : state.step.name === "success"}
      initialFocus={offer && signedIn && !hasOutcome ? payButton : body}
      finalFocus={focusAfterClose}
    >
      <div
        ref={body}
        tabIndex={-1}
        className={classNames(
          SHEET_GRID,
          isAboutTool && SHEET_OF_TOOL,
          state.step.name === "success" && PASS_ALONE_ON_PHONES,
        )}
      >
        {isAboutTool ? <Benefits step={state.step.name} /> : null}
        {hasOutcome ? null : (
          <div className={SHEET_ORDER}>
            <OrderSummary
              state={state}
              signedIn={signedIn}
              now={now}
              account={
                <AccountView
                  isResetting={isResetting}
                  onReset={onReset}
                  startsReturning={hadSession(state)}
                  renderEnd={(button) => (
                    <AccountEnd state={state} dispatch={dispatch}>
                      {button}
                    </AccountEnd>
                  )}
                />
              }
              payButton={payButton}
              dispatch={dispatch}
              onPay={pay}
            />
          </div>
        )}
        {/* Rendered before it has content, and without a height: screen readers announce changes of an existing status region only. */}
        <div role="status" className={classNames("grid empty:self-start", isAboutTool && SHEET_ORDER)}>
          {hasOutcome ? (
            <Outcome
              state={state}
              signedIn={signedIn}
              onSignIn={pay}
              onClose={onClose}
              onRenew={renew}
              onRetry={retry}
            />
          ) : null}
        </div>
        {isAboutTool && offer ? <WhatYouGet key={offer.slug} offer={offer} /> : null}
        {offer || hasOutcome ? null : <WhatYouGetSkeleton />}
      </div>
    </Dialog>
  );
}

/** Whether the buyer was signed in before the account is asked for. */
function hadSession({ step }: CheckoutState): boolean {
  return "notice" in step && step.notice?.kind === "session-ended";
}

/** The form of the account, which had the focus, is replaced by Pay. */
function useFocusAfterSignIn(
  isShown: boolean,
  signedIn: boolean,
  payButton: RefObject<HTMLButtonElement | null>,
): void {
  const wasSignedIn = useRef(signedIn);
  // Before the dialog notices that its focus is lost: it would take the focus itself, and once more in the next frame.
  useLayoutEffect(() => {
    if (isShown && signedIn && !wasSignedIn.current) {
      payButton.current?.focus({ preventScroll: true });
      // The form may have been scrolled to, and the bill is shorter.
      payButton.current?.closest(".dialog-body")?.scrollTo(0, 0);
    }
    wasSignedIn.current = signedIn;
  }, [isShown, signedIn, payButton]);
}

/** The limits of a tool are among its features, and "Unlimited usage" must not contradict them. */
const LIMITS_TEXT = "The tool’s own daily limits still apply.";

/**
 * What every pass includes, in the owner's words when there are some. The default ones have explanations on wide screens,
 * and the limits on phones.
 */
function Benefits({ step }: { step: Step["name"] }) {
  const { store } = useShared();
  const [access, usage, time] = DEFAULT_BENEFITS;
  const benefits = store.benefits?.map((title) => ({ Icon: Check, title, text: null })) ?? [
    { Icon: Sparkles, title: t(access), text: accessText(step) },
    { Icon: InfinityIcon, title: t(usage), text: t(LIMITS_TEXT) },
    { Icon: Clock, title: t(time), text: t("Open it any time, day or night.") },
  ];
  return (
    <div>
      <ul className="flex flex-wrap gap-x-2.5 gap-y-1 sm:flex-col sm:gap-3">
        {benefits.map(({ Icon, title, text }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two of the owner's benefits may be equal
          <li key={at} className="flex items-center gap-1 sm:items-start sm:gap-3">
            <Icon
              aria-hidden="true"
              className="size-3.5 shrink-0 text-accent sm:mt-0.5 sm:size-5"
              strokeWidth={1.75}
            />
            <div className="wrap-anywhere min-w-0">
              <p lang={langOf(title)} className="font-medium text-xs sm:text-sm">
                {title}
              </p>
              {text === null ? null : <p className="hidden text-muted text-xs sm:block">{text}</p>}
            </div>
          </li>
        ))}
      </ul>
      {store.benefits === null ? <p className="text-muted text-xs sm:hidden">{t(LIMITS_TEXT)}</p> : null}
    </div>
  );
}

function accessText(step: Step["name"]): string | null {
  if (step === "success") return null;
  if (step === "contact") return t("The paid plan, set up for you on WhatsApp.");
  if (step === "free") return t("Yours to use as soon as you sign in.");
  return t("The paid plan, unlocked as soon as you pay.");
}

/** The description of the tool, where it works and its features, to be read before paying. Phones fold them. */
function WhatYouGet({ offer: { description, features, worksOn } }: { offer: CheckoutOffer }) {
  const [isOpen, setIsOpen] = useState(false);
  const contentId = useId();
  return (
    <section className="flex flex-col max-sm:border-line max-sm:border-t max-sm:pt-1 sm:gap-4">
      <h3 className="sr-only">{t("What you get")}</h3>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={contentId}
        onClick={() => setIsOpen(!isOpen)}
        className="flex min-h-11 w-full items-center justify-between gap-2 rounded-control font-medium text-sm sm:hidden"
      >
        <span>{moreLabel(features.length)}</span>
        <ChevronDown
          aria-hidden="true"
          className={classNames("size-4 transition-transform duration-150", isOpen && "rotate-180")}
        />
      </button>
      <div
        id={contentId}
        className={classNames("flex flex-col gap-2 sm:flex-col-reverse sm:gap-3", !isOpen && "max-sm:hidden")}
      >
        <ul className="flex flex-col gap-0.5 text-xs sm:gap-1">
          {features.map((feature) => (
            <li key={feature} className="flex gap-2">
              <Check aria-hidden="true" className="h-[1lh] w-3.5 shrink-0 text-accent" strokeWidth={2.5} />
              <span lang={langOf(feature)} className="wrap-anywhere min-w-0">
                {feature}
              </span>
            </li>
          ))}
        </ul>
        <p lang={langOf(description)} className="wrap-anywhere text-muted text-xs">
          {description}
        </p>
      </div>
      <WorksOn places={worksOn} className={classNames("text-xs", isOpen ? "max-sm:mt-2" : "max-sm:hidden")} />
    </section>
  );
}

function moreLabel(features: number): string {
  if (features === 0) return t("About this tool");
  return plural(features, "What you get: {count} feature", "What you get: {count} features");
}
