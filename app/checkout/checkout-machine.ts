import { chargedPaise, chosenOption } from "./charged-amount.ts";
import { type CheckoutEvent, type CheckoutState, CLOSED, type Notice, type Step } from "./checkout-state.ts";
import { pollDelay } from "./poll-schedule.ts";
import type { ShownOffer, StandOfPurchase } from "./wire.ts";

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
    default:
      return afterStart(state, event);
  }
}

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

function to(state: CheckoutState, step: Step): CheckoutState {
  return { ...state, step };
}

/** Back before the pay button; for one who closed the dialog meanwhile, the end. */
function payable(state: CheckoutState, notice: Notice | null): CheckoutState {
  return state.visible ? to(state, { name: "payable", notice }) : CLOSED;
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
      return to(state, { name: "polling", checkout: state.step.checkout, tries: 0 });
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
  const optionLabel = keptOption(offer, state.optionLabel);
  return { ...state, offer, optionLabel, step: stepFor(offer, state.step.notice) };
}

/** The option already chosen when it is still on offer, else the shop's default: the first. */
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
  const option = chosenOption(state);
  if (state.step.name !== "payable" || !option) return state;
  if (!signedIn) return to(state, { name: "signing-in" });
  return to(state, { name: "starting", amountPaise: chargedPaise(option) });
}

function started(state: CheckoutState, { checkout }: EventOf<"started">): CheckoutState {
  const { step } = state;
  if (step.name !== "starting") return state;
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

function standKnown(state: CheckoutState, stand: StandOfPurchase): CheckoutState {
  const { step } = state;
  if (step.name !== "cancelling" && step.name !== "confirming" && step.name !== "polling") return state;
  // How a payment ended is news even for one who closed the dialog.
  if (stand.state === "success")
    return { ...to(state, { name: "success", until: stand.expiresAt }), visible: true };
  if (stand.state === "refunded") {
    const { amountPaise } = step.checkout;
    return { ...to(state, { name: "refunded", reason: stand.reason, amountPaise }), visible: true };
  }
  if (step.name !== "cancelling") return askAgain(state, step);
  if (stand.state === "confirming") return to(state, { name: "polling", checkout: step.checkout, tries: 0 });
  return payable(state, { kind: step.why });
}

function standUnknown(state: CheckoutState): CheckoutState {
  const { step } = state;
  if (step.name === "confirming" || step.name === "polling") return askAgain(state, step);
  if (step.name !== "cancelling") return state;
  return payable(state, { kind: step.why === "closed" ? "closed-unsure" : step.why });
}

function askAgain(
  state: CheckoutState,
  step: Extract<Step, { name: "confirming" | "polling" }>,
): CheckoutState {
  const tries = step.name === "polling" ? step.tries + 1 : 0;
  if (pollDelay(tries) !== null) return to(state, { name: "polling", checkout: step.checkout, tries });
  return state.visible ? to(state, { name: "late", checkout: step.checkout }) : CLOSED;
}
