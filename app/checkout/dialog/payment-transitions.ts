import type { CheckoutStatus } from "../checkout-api.ts";
import { pollDelay } from "../unfinished-checkout.ts";
import { couponErrorMessage, isCouponRefusal } from "./checkout-messages.ts";
import {
  type CheckoutState,
  CLOSED,
  type EventOf,
  payableOrClosed,
  type Step,
  withStep,
  withVisibleStep,
} from "./checkout-state.ts";
import { couponText } from "./coupon-machine.ts";

/* Transitions of the purchase dialog from the response to Pay to the outcome of the payment. */

export function started(state: CheckoutState, { checkout }: EventOf<"started">): CheckoutState {
  const { step } = state;
  if (step.name !== "starting") return state;
  if (checkout.kind === "nothing-to-pay") {
    const { orderNumber, startsAt, expiresAt: until } = checkout;
    return withVisibleStep(state, { name: "success", orderNumber, startsAt, until, chargedPaise: 0 });
  }
  if (!state.visible) return withStep(state, { name: "cancelling", checkout, why: "closed" });
  // The buyer pays only a price that was shown: a new price is shown first.
  if (checkout.amountPaise !== step.amountPaise) {
    return withStep(state, { name: "checking", notice: { kind: "price-changed" } });
  }
  // The started checkout continues or replaces the open one. From now on the step says what becomes of the payment.
  const offer = state.offer && { ...state.offer, openCheckout: null };
  return withStep({ ...state, offer }, { name: "opening", checkout });
}

export function startFailed(state: CheckoutState, { refusal }: EventOf<"start-failed">): CheckoutState {
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

/** The part of the dialog's table from the payment order to its outcome. */
export function transitionAfterStart(state: CheckoutState, event: EventAfterStart): CheckoutState {
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
      if (event.proof.gatewayOrderId !== step.checkout.gatewayOrderId) return state;
      return withStep(state, { name: "confirming", checkout: step.checkout, proof: event.proof });
    case "status-loaded":
      return statusLoaded(state, event.status);
    case "status-failed":
      return statusFailed(state, event);
    case "finished":
      return step.name === "success" ? CLOSED : state;
  }
}

function statusLoaded(state: CheckoutState, status: CheckoutStatus): CheckoutState {
  const { step } = state;
  if (step.name !== "cancelling" && step.name !== "confirming" && step.name !== "polling") return state;
  const paidPaise = "paidPaise" in status ? status.paidPaise : undefined;
  const amountPaise = paidPaise ?? step.checkout.amountPaise;
  switch (status.state) {
    // The outcome of a payment is shown even to a buyer who closed the dialog.
    case "success": {
      const { orderNumber, startsAt, expiresAt: until } = status;
      const chargedPaise = amountPaise;
      return withVisibleStep(state, { name: "success", orderNumber, startsAt, until, chargedPaise });
    }
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
  if (status.state === "ended" && status.unsure) return statusFailed(state, { signedOut: false });
  return payableOrClosed(state, { kind: step.why });
}

function statusFailed(state: CheckoutState, { signedOut }: { signedOut: boolean }): CheckoutState {
  const { step } = state;
  if (step.name === "confirming" || step.name === "polling") {
    // Another tab has signed out or deleted the account: no poll of this browser will be answered.
    if (signedOut)
      return withVisibleStep(state, { name: "late", checkout: step.checkout, cause: "signed-out" });
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
  if (!state.visible) return CLOSED;
  return withStep(state, { name: "late", checkout, cause: unreachable ? "unreachable" : "bank" });
}
