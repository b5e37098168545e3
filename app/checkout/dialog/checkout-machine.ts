import {
  type CheckoutEvent,
  type CheckoutState,
  CLOSED,
  type EventOf,
  type Step,
  withStep,
} from "./checkout-state.ts";
import {
  chooseOption,
  couponChecked,
  editCoupon,
  offerLoaded,
  pay,
  signInClosed,
} from "./choice-transitions.ts";
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

/** Steps in which a payment may be in progress: opening another tool shows the current checkout instead. */
const BUSY = new Set<Step["name"]>(["starting", "opening", "paying", "cancelling", "confirming"]);

function open(state: CheckoutState, { tool, option }: EventOf<"open">): CheckoutState {
  if (state.step.name === "polling" && isSameTool(state, tool.slug ?? tool.name))
    return { ...state, visible: true };
  if (BUSY.has(state.step.name)) return { ...state, visible: true };
  const optionLabel = option ?? null;
  return { ...CLOSED, step: { name: "checking", notice: null }, tool, optionLabel, visible: true };
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
