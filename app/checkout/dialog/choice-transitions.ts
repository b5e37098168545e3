import type { CheckoutOffer } from "../endpoints/api-schemas.ts";
import {
  type CheckoutState,
  currentQuote,
  type EventOf,
  isCouponEditable,
  type Notice,
  payableOrClosed,
  type Step,
  withStep,
} from "./checkout-state.ts";
import { type CouponEvent, isUnchecked, restoreCoupon, transitionCoupon } from "./coupon-machine.ts";

/* Transitions of the purchase dialog from the loaded offer to the press of Pay: option, coupon and sign-in. */

export function offerLoaded(state: CheckoutState, { offer }: EventOf<"offer-loaded">): CheckoutState {
  if (state.step.name !== "checking") return state;
  const optionLabel = optionToSelect(offer, state.optionLabel ?? offer.heldOption);
  const coupon = restoreCoupon(state.coupon, offer.heldCoupon);
  return { ...state, offer, optionLabel, coupon, step: stepForOffer(offer, state.step.notice) };
}

/** The previously selected option while it is still on sale, else the first one. */
function optionToSelect(offer: CheckoutOffer, previous: string | null): string | null {
  const option = offer.options.find(({ label }) => label === previous) ?? offer.options[0];
  return option?.label ?? null;
}

function stepForOffer(offer: CheckoutOffer, notice: Notice | null): Step {
  switch (offer.state) {
    case "already-owned":
      return { name: "owned", until: offer.ownedUntil };
    case "contact-only":
      return { name: "contact" };
    case "free":
      return { name: "free" };
    case "payments-not-set-up":
      return { name: "not-set-up" };
    case "payable":
      return offer.availableStock <= 0 && !offer.resumable
        ? { name: "sold-out" }
        : { name: "payable", notice };
  }
}

export function chooseOption(state: CheckoutState, { label }: EventOf<"option-chosen">): CheckoutState {
  if (state.step.name !== "payable" || !state.offer?.options.some((option) => option.label === label))
    return state;
  return { ...state, optionLabel: label, step: { name: "payable", notice: null } };
}

export function pay(state: CheckoutState, { signedIn }: EventOf<"pay">): CheckoutState {
  if (state.step.name === "free" && !signedIn) return withStep(state, { name: "signing-in" });
  const quote = currentQuote(state);
  if (state.step.name !== "payable" || !quote || state.coupon.name === "checking") return state;
  // A typed code is applied first, so that the buyer sees its price before paying.
  if (isUnchecked(state.coupon)) return editCoupon(state, { type: "coupon-apply", beforePaying: true });
  if (!signedIn) return withStep(state, { name: "signing-in" });
  return withStep(state, { name: "starting", amountPaise: quote.chargedPaise });
}

export function signInClosed(state: CheckoutState): CheckoutState {
  if (state.step.name !== "signing-in") return state;
  return state.offer?.state === "free"
    ? withStep(state, { name: "free" })
    : payableOrClosed(state, { kind: "sign-in" });
}

export function editCoupon(state: CheckoutState, event: CouponEvent): CheckoutState {
  const coupon = transitionCoupon(state.coupon, event);
  if (coupon === state.coupon || !isCouponEditable(state)) return state;
  return withNotice({ ...state, coupon }, null);
}

export function couponChecked(state: CheckoutState, event: CouponEvent): CheckoutState {
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
