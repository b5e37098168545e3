import { chargedPaise, chosenOption } from "./charged-amount.ts";
import { type CheckoutEvent, type CheckoutState, CLOSED, type Notice, type Step } from "./checkout-state.ts";
import { pollDelay } from "./poll-schedule.ts";
import type { OpenedCheckout, ShownOffer, StandOfPurchase } from "./wire.ts";

type EventOf<Type extends CheckoutEvent["type"]> = Extract<CheckoutEvent, { type: Type }>;

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
      return canRefresh(state) ? to(state, { name: "checking", notice: null }) : state;
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
      return state.step.name === "signing-in" ? payable(state, { kind: "sign-in" }) : state;
    case "started":
      return started(state, event);
    case "start-failed":
      return startFailed(state, event);
    default:
      return afterStart(state, event);
  }
}

type EventAfterStart = EventOf<
  "window-ready" | "window-failed" | "declined" | "dismissed" | "paid" | "stand" | "stand-unknown" | "finished"
>;

function afterStart(state: CheckoutState, event: EventAfterStart): CheckoutState {
  const { step } = state;
  switch (event.type) {
    case "window-ready":
      if (step.name !== "opening") return state;
      return to(state, { name: "paying", checkout: step.checkout, declined: false });
    case "window-failed":
      if (step.name !== "opening" && step.name !== "paying") return state;
      return to(state, { name: "cancelling", checkout: step.checkout, why: "no-window" });
    case "declined":
      // The gateway's window stays open for another try on the same order.
      return step.name === "paying" ? to(state, { ...step, declined: true }, "same") : state;
    case "dismissed":
      if (step.name !== "paying") return state;
      return to(state, {
        name: "cancelling",
        checkout: step.checkout,
        why: step.declined ? "declined" : "closed",
      });
    case "paid":
      // A payment in the last moment wins over the closing of the window.
      if (step.name !== "paying" && step.name !== "cancelling") return state;
      return to(state, { name: "confirming", checkout: step.checkout, paid: event.paid });
    case "stand":
      return standKnown(state, event.stand);
    case "stand-unknown":
      return standUnknown(state);
    case "finished":
      return step.name === "success" ? CLOSED : state;
  }
}

const to = (state: CheckoutState, step: Step, keep?: "same"): CheckoutState =>
  keep === "same" && state.step.name === step.name
    ? { ...state, step: Object.assign(state.step, step) }
    : { ...state, step };
