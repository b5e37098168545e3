import type { StandOfPurchase } from "../endpoints/api-schemas.ts";
import { type CheckoutState, CLOSED, type EventOf, payable, type Step, to } from "./checkout-state.ts";
import { pollDelay } from "../gateway/poll-schedule.ts";

type EventAfterStart = EventOf<
  | "window-ready"
  | "window-failed"
  | "declined"
  | "dismissed"
  | "paid"
  | "stand"
  | "stand-unknown"
  | "finished"
>;

/** The second half of the table: from the order that was made to how its payment ended. */
export function afterStart(state: CheckoutState, event: EventAfterStart): CheckoutState {
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
      return step.name === "paying" ? to(state, { ...step, declined: true }) : state;
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
      if (event.paid.orderId !== step.checkout.orderId) return state;
      return to(state, { name: "confirming", checkout: step.checkout, paid: event.paid });
    case "stand":
      return standKnown(state, event.stand);
    case "stand-unknown":
      return standUnknown(state);
    case "finished":
      return step.name === "success" ? CLOSED : state;
  }
}

function standKnown(state: CheckoutState, stand: StandOfPurchase): CheckoutState {
  const { step } = state;
  if (step.name !== "cancelling" && step.name !== "confirming" && step.name !== "polling") return state;
  // How a payment ended is news even for one who closed the dialog.
  const { amountPaise } = step.checkout;
  if (stand.state === "success") {
    const until = stand.expiresAt;
    return { ...to(state, { name: "success", until, chargedPaise: amountPaise }), visible: true };
  }
  if (stand.state === "refunded") {
    return { ...to(state, { name: "refunded", reason: stand.reason, amountPaise }), visible: true };
  }
  if (stand.state === "not-taken") {
    return { ...to(state, { name: "not-taken", reason: stand.reason, amountPaise }), visible: true };
  }
  if (stand.state === "cancelled") return { ...to(state, { name: "cancelled" }), visible: true };
  if (step.name !== "cancelling") return askAgain(state, step, { unheard: false });
  if (stand.state === "confirming") {
    return to(state, { name: "polling", checkout: step.checkout, tries: 0, unheard: false });
  }
  // Nobody is told that nothing was charged before the gateway has said so.
  if (stand.state === "ended" && stand.unsure) return standUnknown(state);
  return payable(state, { kind: step.why });
}

function standUnknown(state: CheckoutState): CheckoutState {
  const { step } = state;
  if (step.name === "confirming" || step.name === "polling") return askAgain(state, step, { unheard: true });
  if (step.name !== "cancelling") return state;
  return payable(state, { kind: step.why === "closed" ? "closed-unsure" : step.why });
}

function askAgain(
  state: CheckoutState,
  step: Extract<Step, { name: "confirming" | "polling" }>,
  { unheard }: { unheard: boolean },
): CheckoutState {
  const tries = step.name === "polling" ? step.tries + 1 : 0;
  const { checkout } = step;
  if (pollDelay(tries) !== null) return to(state, { name: "polling", checkout, tries, unheard });
  return state.visible ? to(state, { name: "late", checkout, unheard }) : CLOSED;
}
