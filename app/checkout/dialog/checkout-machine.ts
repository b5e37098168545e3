import { cheapestOption } from "#core/checkout/pricing.ts";
import type { CheckoutOffer } from "../checkout-api.ts";
import {
  type CheckoutEvent,
  type CheckoutState,
  CLOSED,
  canChooseOption,
  currentQuote,
  type EventOf,
  isCouponEditable,
  type Notice,
  payableOrClosed,
  type Step,
  withStep,
} from "./checkout-state.ts";
import {
  type CouponEvent,
  couponOfLink,
  isUnchecked,
  restoreCoupon,
  transitionCoupon,
} from "./coupon-machine.ts";
import { started, startFailed, transitionAfterStart } from "./payment-transitions.ts";

/**
 * The purchase dialog as one table: a state and an event give the next state. An event that has no meaning in a state
 * returns the same state, so late responses and second clicks are harmless.
 */
export function transition(state: CheckoutState, event: CheckoutEvent): CheckoutState {
  switch (event.type) {
    case "open":
      return open(state, event);
    case "close":
      return close(state);
    case "retry":
      return retry(state);
    case "refresh":
      return refresh(state);
    case "offer-loaded":
      return offerLoaded(state, event);
    case "offer-failed":
      if (state.step.name !== "checking") return state;
      return withStep(state, { name: event.missing ? "missing" : "unreachable" });
    case "renew":
      return renew(state);
    case "option-chosen":
      return chooseOption(state, event);
    case "pay":
      return pay(state, event);
    case "signed-in":
      return SIGNED_IN_FROM.has(state.step.name) ? continueSignedIn(state) : state;
    case "sign-in-closed":
      return signInClosed(state);
    case "started":
      return started(state, event);
    case "start-failed":
      return startFailed(state, event);
    case "coupon-edited":
    case "coupon-apply":
    case "coupon-removed":
      return editCoupon(state, event);
    case "coupon-of-link-accepted":
      return acceptCouponOfLink(state, event);
    case "coupon-accepted":
    case "coupon-refused":
      return couponChecked(state, event);
    default:
      return transitionAfterStart(state, event);
  }
}

/** Steps in which a payment may be in progress: opening another tool shows the current checkout instead. */
const BUSY = new Set<Step["name"]>(["starting", "opening", "paying", "cancelling", "confirming"]);

function open(state: CheckoutState, { tool, option, coupon, renews }: EventOf<"open">): CheckoutState {
  if (state.step.name === "polling" && isSameTool(state, tool.slug ?? tool.name))
    return { ...state, visible: true };
  if (BUSY.has(state.step.name)) return { ...state, visible: true };
  return {
    ...CLOSED,
    step: { name: "checking", notice: null },
    tool,
    optionLabel: option ?? null,
    coupon: couponOfLink(coupon),
    ...(renews && { renews }),
    visible: true,
  };
}

/** Whether a checkout is about the tool with this slug or name. */
export function isSameTool({ tool, offer }: CheckoutState, slugOrName: string): boolean {
  return [tool?.slug, tool?.name, offer?.slug, offer?.name].includes(slugOrName);
}

function close(state: CheckoutState): CheckoutState {
  const { step } = state;
  switch (step.name) {
    case "paying":
      return state;
    case "opening":
      return {
        ...state,
        step: { name: "cancelling", checkout: step.checkout, why: "closed" },
        visible: false,
      };
    case "starting":
    case "cancelling":
    case "confirming":
    case "polling":
      return { ...state, visible: false };
    default:
      return CLOSED;
  }
}

function retry(state: CheckoutState): CheckoutState {
  const { step } = state;
  switch (step.name) {
    case "unreachable":
    case "sold-out":
    case "not-set-up":
      return withStep(state, { name: "checking", notice: null });
    case "late":
      return withStep(state, { name: "polling", checkout: step.checkout, polls: 0, unreachable: false });
    default:
      return state;
  }
}

const REFRESHABLE = new Set<Step["name"]>(["payable", "owned", "sold-out", "not-set-up", "unreachable"]);

function refresh(state: CheckoutState): CheckoutState {
  const { step } = state;
  if (!REFRESHABLE.has(step.name)) return state;
  return withStep(state, { name: "checking", notice: step.name === "payable" ? step.notice : null });
}

/* Transitions of the purchase dialog from the loaded offer to the press of Pay: option, coupon and sign-in. */

function offerLoaded(state: CheckoutState, { offer }: EventOf<"offer-loaded">): CheckoutState {
  if (state.step.name !== "checking") return state;
  const optionLabel = optionToSelect(offer, state.optionLabel ?? offer.heldOption);
  const restored = restoreCoupon(state.coupon, offer.heldCoupon);
  const { renews, ...rest } = state;
  const step = stepForOffer(offer, state.step.notice, renews);
  // The code of a link is there before the offer.
  const isDue = state.offer === null && offer.signedIn && step.name === "payable" && isUnchecked(restored);
  const coupon = isDue ? transitionCoupon(restored, { type: "coupon-apply" }) : restored;
  // Without a pass it is a purchase as any other.
  const keepsRenewing = renews && offer.state === "already-owned";
  return { ...rest, ...(keepsRenewing && { renews }), offer, optionLabel, coupon, step };
}

/** The previously selected option while it is still on sale, else the cheapest one. */
function optionToSelect(offer: CheckoutOffer, previous: string | null): string | null {
  const option = offer.options.find(({ label }) => label === previous) ?? cheapestOption(offer.options);
  return option?.label ?? null;
}

function stepForOffer(offer: CheckoutOffer, notice: Notice | null, renews = false): Step {
  switch (offer.state) {
    case "already-owned":
      if (!renews || !offer.canRenew) return { name: "owned", until: offer.ownedUntil };
      return stepForOffer({ ...offer, state: "payable" }, notice);
    case "contact-only":
      return { name: "contact" };
    case "free":
      return { name: "free" };
    case "payments-not-set-up":
      return { name: "not-set-up" };
    case "payable":
      return offer.availableStock <= 0 && offer.openCheckout === null
        ? { name: "sold-out" }
        : { name: "payable", notice };
  }
}

/** From the panel that says that the buyer has the tool. */
function renew(state: CheckoutState): CheckoutState {
  const { step, offer } = state;
  if (step.name !== "owned" || !offer?.canRenew) return state;
  return { ...state, renews: true, step: stepForOffer(offer, null, true) };
}

function chooseOption(state: CheckoutState, { label }: EventOf<"option-chosen">): CheckoutState {
  const { step, offer } = state;
  if (!canChooseOption(step) || !offer?.options.some((option) => option.label === label)) return state;
  return { ...state, optionLabel: label, step: step.name === "payable" ? { ...step, notice: null } : step };
}

function pay(state: CheckoutState, { signedIn }: EventOf<"pay">): CheckoutState {
  if (state.step.name === "free" && !signedIn) return withStep(state, { name: "signing-in" });
  const quote = currentQuote(state);
  if (state.step.name !== "payable" || !quote || state.coupon.name === "checking") return state;
  // A typed code is applied first, so that the buyer sees its price before paying.
  if (isUnchecked(state.coupon)) return editCoupon(state, { type: "coupon-apply", beforePaying: true });
  if (!signedIn) return withStep(state, { name: "signing-in" });
  return withStep(state, { name: "starting", amountPaise: quote.chargedPaise });
}

/** A visitor signs in after Pay, or before it within the dialog. */
const SIGNED_IN_FROM = new Set<Step["name"]>(["signing-in", "payable", "checking"]);

function signInClosed(state: CheckoutState): CheckoutState {
  if (state.step.name !== "signing-in") return state;
  return state.offer?.state === "free"
    ? withStep(state, { name: "free" })
    : payableOrClosed(state, { kind: "sign-in" });
}

function editCoupon(state: CheckoutState, event: CouponEvent): CheckoutState {
  const coupon = transitionCoupon(state.coupon, event);
  if (coupon === state.coupon || !isCouponEditable(state)) return state;
  return withNotice({ ...state, coupon }, null);
}

/** The page's check of its link's coupon is answered after the dialog was opened, maybe before the offer is there. */
function acceptCouponOfLink(state: CheckoutState, event: CouponEvent): CheckoutState {
  const { name } = state.step;
  const isOpen = name === "payable" || name === "checking";
  return isOpen ? { ...state, coupon: transitionCoupon(state.coupon, event) } : state;
}

/** Checks a coupon that a visitor has typed. */
function continueSignedIn(state: CheckoutState): CheckoutState {
  const coupon =
    state.offer !== null && isUnchecked(state.coupon)
      ? transitionCoupon(state.coupon, { type: "coupon-apply" })
      : state.coupon;
  return withStep({ ...state, coupon }, { name: "checking", notice: null });
}

function couponChecked(state: CheckoutState, event: CouponEvent): CheckoutState {
  const coupon = transitionCoupon(state.coupon, event);
  if (state.coupon.name !== "checking" || coupon === state.coupon) return state;
  const next = { ...state, coupon };
  if (!state.coupon.beforePaying) return next;
  return withNotice(next, { kind: coupon.name === "applied" ? "coupon-applied" : "coupon-refused" });
}

function withNotice(state: CheckoutState, notice: Notice | null): CheckoutState {
  const { step } = state;
  return step.name === "payable" || step.name === "checking" ? withStep(state, { ...step, notice }) : state;
}
