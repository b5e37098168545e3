import { afterStart } from "./after-start.ts";
import type { ShownOffer } from "../endpoints/api-schemas.ts";
import { shownQuote } from "./charged-amount.ts";
import {
  type CheckoutEvent,
  type CheckoutState,
  CLOSED,
  type EventOf,
  type Notice,
  payable,
  type Step,
  to,
} from "./checkout-state.ts";
import { type CouponEvent, changeCoupon, couponText, isUnanswered, resumeCoupon } from "./coupon-machine.ts";
import { couponError, isAboutCoupon } from "./coupon-messages.ts";

/**
 * The whole purchase dialog as one table: a state and an event give the next state. An event that means nothing in a
 * state leaves it untouched, so late answers and second clicks are harmless.
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
      return to(state, { name: event.missing ? "missing" : "unreachable" });
    case "option-chosen":
      return choose(state, event);
    case "pay":
      return pay(state, event);
    case "signed-in":
      return state.step.name === "signing-in" ? to(state, { name: "checking", notice: null }) : state;
    case "sign-in-closed":
      if (state.step.name !== "signing-in") return state;
      return state.offer?.state === "free"
        ? to(state, { name: "free" })
        : payable(state, { kind: "sign-in" });
    case "started":
      return started(state, event);
    case "start-failed":
      return startFailed(state, event);
    case "coupon-edited":
    case "coupon-apply":
    case "coupon-removed":
      return touchCoupon(state, event);
    case "coupon-accepted":
    case "coupon-refused":
      return couponAnswered(state, event);
    default:
      return afterStart(state, event);
  }
}

/** Steps in which money may be moving: another purchase has to wait. */
const BUSY = new Set<Step["name"]>(["starting", "opening", "paying", "cancelling", "confirming"]);

function open(state: CheckoutState, { tool }: EventOf<"open">): CheckoutState {
  if (state.step.name === "polling" && isSameTool(state, tool.slug ?? tool.name))
    return { ...state, visible: true };
  if (BUSY.has(state.step.name)) return { ...state, visible: true };
  return { ...CLOSED, step: { name: "checking", notice: null }, tool, visible: true };
}

function isSameTool({ tool, offer }: CheckoutState, wanted: string): boolean {
  return [tool?.slug, tool?.name, offer?.slug, offer?.name].includes(wanted);
}

function close(state: CheckoutState): CheckoutState {
  switch (state.step.name) {
    case "paying":
      return state;
    case "opening":
      return {
        ...to(state, { name: "cancelling", checkout: state.step.checkout, why: "closed" }),
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
  switch (state.step.name) {
    case "unreachable":
    case "sold-out":
    case "not-set-up":
      return to(state, { name: "checking", notice: null });
    case "late":
      return to(state, { name: "polling", checkout: state.step.checkout, tries: 0, unheard: false });
    default:
      return state;
  }
}

const REFRESHABLE = new Set<Step["name"]>(["payable", "owned", "sold-out", "not-set-up", "unreachable"]);

function refresh(state: CheckoutState): CheckoutState {
  const { step } = state;
  if (!REFRESHABLE.has(step.name)) return state;
  return to(state, { name: "checking", notice: step.name === "payable" ? step.notice : null });
}

function offerLoaded(state: CheckoutState, { offer }: EventOf<"offer-loaded">): CheckoutState {
  if (state.step.name !== "checking") return state;
  const optionLabel = keptOption(offer, state.optionLabel ?? offer.heldOption);
  const coupon = resumeCoupon(state.coupon, offer.heldCoupon);
  return { ...state, offer, optionLabel, coupon, step: stepFor(offer, state.step.notice) };
}

/** The option chosen before, also on an earlier page, when it is still on offer; else the shop's default: the first. */
function keptOption(offer: ShownOffer, label: string | null): string | null {
  const kept = offer.options.find((option) => option.label === label);
  return (kept ?? offer.options[0])?.label ?? null;
}

function stepFor(offer: ShownOffer, notice: Notice | null): Step {
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

function choose(state: CheckoutState, { label }: EventOf<"option-chosen">): CheckoutState {
  if (state.step.name !== "payable" || !state.offer?.options.some((option) => option.label === label))
    return state;
  return { ...state, optionLabel: label, step: { name: "payable", notice: null } };
}

function pay(state: CheckoutState, { signedIn }: EventOf<"pay">): CheckoutState {
  if (state.step.name === "free" && !signedIn) return to(state, { name: "signing-in" });
  const quote = shownQuote(state);
  if (state.step.name !== "payable" || !quote || state.coupon.name === "checking") return state;
  // Who typed a code and pressed Pay means to use it: nothing is charged before its price was seen.
  if (isUnanswered(state.coupon)) return touchCoupon(state, { type: "coupon-apply", beforePaying: true });
  if (!signedIn) return to(state, { name: "signing-in" });
  return to(state, { name: "starting", amountPaise: quote.chargedPaise });
}

/** What the buyer does in the coupon row. It waits while money may be moving. */
function touchCoupon(state: CheckoutState, event: CouponEvent): CheckoutState {
  const coupon = changeCoupon(state.coupon, event);
  if (coupon === state.coupon || !isCouponOpen(state)) return state;
  return noticed({ ...state, coupon }, null);
}

export function isCouponOpen({ step, offer }: CheckoutState): boolean {
  return step.name === "payable" || (step.name === "checking" && offer?.state === "payable");
}

function couponAnswered(state: CheckoutState, event: CouponEvent): CheckoutState {
  const coupon = changeCoupon(state.coupon, event);
  if (state.coupon.name !== "checking" || coupon === state.coupon) return state;
  const next = { ...state, coupon };
  if (!state.coupon.beforePaying) return next;
  return noticed(next, { kind: coupon.name === "applied" ? "coupon-applied" : "coupon-refused" });
}

function noticed(state: CheckoutState, notice: Notice | null): CheckoutState {
  const { step } = state;
  return step.name === "payable" || step.name === "checking" ? to(state, { ...step, notice }) : state;
}

function started(state: CheckoutState, { checkout }: EventOf<"started">): CheckoutState {
  const { step } = state;
  if (step.name !== "starting") return state;
  if (checkout.kind === "granted") {
    return { ...to(state, { name: "success", until: checkout.expiresAt, chargedPaise: 0 }), visible: true };
  }
  if (!state.visible) return to(state, { name: "cancelling", checkout, why: "closed" });
  // The price shown is always the price charged: a new price is shown first.
  if (checkout.amountPaise !== step.amountPaise) {
    return to(state, { name: "checking", notice: { kind: "price-changed" } });
  }
  return to(state, { name: "opening", checkout });
}

function startFailed(state: CheckoutState, { refusal }: EventOf<"start-failed">): CheckoutState {
  if (state.step.name !== "starting") return state;
  if (!state.visible) return CLOSED;
  if (refusal && isAboutCoupon(refusal.code)) return couponRefusedAtStart(state, couponError(refusal));
  switch (refusal?.code) {
    case undefined:
      return payable(state, { kind: "network" });
    case "unauthenticated":
      return payable(state, { kind: "session-ended" });
    case "already-owned":
      return to(state, { name: "owned", until: null });
    case "tool-out-of-stock":
      return to(state, { name: "sold-out" });
    case "contact-only":
      return to(state, { name: "contact" });
    case "tool-is-free":
      return to(state, { name: "free" });
    case "payments-not-set-up":
      return to(state, { name: "not-set-up" });
    case "tool-not-found":
      return to(state, { name: "missing" });
    case "option-not-found":
      return to(state, { name: "checking", notice: { kind: "price-changed" } });
    default:
      return payable(state, { kind: "refused", message: refusal?.message ?? "" });
  }
}

/** The coupon ran out between Apply and Pay: its text stays, to be seen with the reason. */
function couponRefusedAtStart(state: CheckoutState, error: string): CheckoutState {
  const coupon = { name: "entered" as const, text: couponText(state.coupon), error };
  return payable({ ...state, coupon }, { kind: "coupon-refused" });
}
