import type { CheckoutOffer, CheckoutStatus } from "../endpoints/api-schemas.ts";
import { pollDelay } from "../gateway/poll-schedule.ts";
import {
  type CheckoutEvent,
  type CheckoutState,
  CLOSED,
  currentQuote,
  type EventOf,
  isCouponEditable,
  type Notice,
  type Step,
} from "./checkout-state.ts";
import {
  type CouponEvent,
  couponText,
  isUnchecked,
  restoreCoupon,
  transitionCoupon,
} from "./coupon-machine.ts";
import { couponErrorMessage, isCouponRefusal } from "./coupon-messages.ts";

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
    case "option-chosen":
      return chooseOption(state, event);
    case "pay":
      return pay(state, event);
    case "signed-in":
      return state.step.name === "signing-in" ? withStep(state, { name: "checking", notice: null }) : state;
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
    case "coupon-accepted":
    case "coupon-refused":
      return couponChecked(state, event);
    default:
      return transitionAfterStart(state, event);
  }
}

type EventAfterStart = EventOf<
  | "window-ready"
  | "window-failed"
  | "declined"
  | "dismissed"
  | "paid"
  | "status-loaded"
  | "status-failed"
  | "finished"
>;

/** The second part of the table: from the payment order to its outcome. */
function transitionAfterStart(state: CheckoutState, event: EventAfterStart): CheckoutState {
  const { step } = state;
  switch (event.type) {
    case "window-ready":
      if (step.name !== "opening") return state;
      return withStep(state, { name: "paying", checkout: step.checkout, declined: false });
    case "window-failed":
      if (step.name !== "opening" && step.name !== "paying") return state;
      return withStep(state, { name: "cancelling", checkout: step.checkout, why: "no-window" });
    case "declined":
      // The gateway's window stays open for another payment attempt of the same order.
      return step.name === "paying" ? withStep(state, { ...step, declined: true }) : state;
    case "dismissed":
      if (step.name !== "paying") return state;
      return withStep(state, {
        name: "cancelling",
        checkout: step.checkout,
        why: step.declined ? "declined" : "closed",
      });
    case "paid":
      // When the buyer pays and closes the window at the same moment, the payment counts.
      if (step.name !== "paying" && step.name !== "cancelling") return state;
      if (event.proof.orderId !== step.checkout.orderId) return state;
      return withStep(state, { name: "confirming", checkout: step.checkout, proof: event.proof });
    case "status-loaded":
      return statusLoaded(state, event.status);
    case "status-failed":
      return statusFailed(state);
    case "finished":
      return step.name === "success" ? CLOSED : state;
  }
}

function withStep(state: CheckoutState, step: Step): CheckoutState {
  return { ...state, step };
}

/** Shows the step even when the buyer has closed the dialog. */
function withVisibleStep(state: CheckoutState, step: Step): CheckoutState {
  return { ...state, step, visible: true };
}

/** Returns to the pay button, or closes the checkout when the buyer has closed the dialog meanwhile. */
function payableOrClosed(state: CheckoutState, notice: Notice | null): CheckoutState {
  return state.visible ? withStep(state, { name: "payable", notice }) : CLOSED;
}

/** Steps in which a payment may be in progress: opening another tool shows the current checkout instead. */
const BUSY = new Set<Step["name"]>(["starting", "opening", "paying", "cancelling", "confirming"]);

function open(state: CheckoutState, { tool }: EventOf<"open">): CheckoutState {
  if (state.step.name === "polling" && isSameTool(state, tool.slug ?? tool.name))
    return { ...state, visible: true };
  if (BUSY.has(state.step.name)) return { ...state, visible: true };
  return { ...CLOSED, step: { name: "checking", notice: null }, tool, visible: true };
}

function isSameTool({ tool, offer }: CheckoutState, slugOrName: string): boolean {
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

function offerLoaded(state: CheckoutState, { offer }: EventOf<"offer-loaded">): CheckoutState {
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

function chooseOption(state: CheckoutState, { label }: EventOf<"option-chosen">): CheckoutState {
  if (state.step.name !== "payable" || !state.offer?.options.some((option) => option.label === label))
    return state;
  return { ...state, optionLabel: label, step: { name: "payable", notice: null } };
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

function started(state: CheckoutState, { checkout }: EventOf<"started">): CheckoutState {
  const { step } = state;
  if (step.name !== "starting") return state;
  if (checkout.kind === "granted") {
    return withVisibleStep(state, { name: "success", until: checkout.expiresAt, chargedPaise: 0 });
  }
  if (!state.visible) return withStep(state, { name: "cancelling", checkout, why: "closed" });
  // The buyer pays only a price that was shown: a new price is shown first.
  if (checkout.amountPaise !== step.amountPaise) {
    return withStep(state, { name: "checking", notice: { kind: "price-changed" } });
  }
  return withStep(state, { name: "opening", checkout });
}

function startFailed(state: CheckoutState, { refusal }: EventOf<"start-failed">): CheckoutState {
  if (state.step.name !== "starting") return state;
  if (!state.visible) return CLOSED;
  if (refusal && isCouponRefusal(refusal.code))
    return couponRefusedAtStart(state, couponErrorMessage(refusal));
  switch (refusal?.code) {
    case undefined:
      return payableOrClosed(state, { kind: "network" });
    case "unauthenticated":
      return payableOrClosed(state, { kind: "session-ended" });
    case "already-owned":
      return withStep(state, { name: "owned", until: null });
    case "tool-out-of-stock":
      return withStep(state, { name: "sold-out" });
    case "contact-only":
      return withStep(state, { name: "contact" });
    case "tool-is-free":
      return withStep(state, { name: "free" });
    case "payments-not-set-up":
      return withStep(state, { name: "not-set-up" });
    case "tool-not-found":
      return withStep(state, { name: "missing" });
    case "option-not-found":
      return withStep(state, { name: "checking", notice: { kind: "price-changed" } });
    default:
      return payableOrClosed(state, { kind: "refused", message: refusal?.message ?? "" });
  }
}

/** The code stays in the field, with the reason of its refusal. */
function couponRefusedAtStart(state: CheckoutState, error: string): CheckoutState {
  const coupon = { name: "entered" as const, text: couponText(state.coupon), error };
  return payableOrClosed({ ...state, coupon }, { kind: "coupon-refused" });
}

function statusLoaded(state: CheckoutState, status: CheckoutStatus): CheckoutState {
  const { step } = state;
  if (step.name !== "cancelling" && step.name !== "confirming" && step.name !== "polling") return state;
  const { amountPaise } = step.checkout;
  switch (status.state) {
    // The outcome of a payment is shown even to a buyer who closed the dialog.
    case "success":
      return withVisibleStep(state, { name: "success", until: status.expiresAt, chargedPaise: amountPaise });
    case "refunded":
      return withVisibleStep(state, { name: "refunded", reason: status.reason, amountPaise });
    case "not-taken":
      return withVisibleStep(state, { name: "not-taken", reason: status.reason, amountPaise });
    case "cancelled":
      return withVisibleStep(state, { name: "cancelled" });
    default:
      if (step.name !== "cancelling") return pollAgain(state, step, { unreachable: false });
  }
  if (status.state === "confirming") {
    return withStep(state, { name: "polling", checkout: step.checkout, polls: 0, unreachable: false });
  }
  // "Nothing was charged" is said only after the gateway has confirmed it.
  if (status.state === "ended" && status.unsure) return statusFailed(state);
  return payableOrClosed(state, { kind: step.why });
}

function statusFailed(state: CheckoutState): CheckoutState {
  const { step } = state;
  if (step.name === "confirming" || step.name === "polling") {
    return pollAgain(state, step, { unreachable: true });
  }
  if (step.name !== "cancelling") return state;
  return payableOrClosed(state, { kind: step.why === "closed" ? "closed-unsure" : step.why });
}

function pollAgain(
  state: CheckoutState,
  step: Extract<Step, { name: "confirming" | "polling" }>,
  { unreachable }: { unreachable: boolean },
): CheckoutState {
  const polls = step.name === "polling" ? step.polls + 1 : 0;
  const { checkout } = step;
  if (pollDelay(polls) !== null) return withStep(state, { name: "polling", checkout, polls, unreachable });
  return state.visible ? withStep(state, { name: "late", checkout, unreachable }) : CLOSED;
}
