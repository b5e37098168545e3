import type { ApiResult } from "../connection/shop-api.ts";
import type { CheckoutApi, CheckoutStatus } from "./checkout-api.ts";
import { transition } from "./dialog/checkout-machine.ts";
import { couponErrorMessage } from "./dialog/checkout-messages.ts";
import { type CheckoutEvent, type CheckoutState, CLOSED, type Step } from "./dialog/checkout-state.ts";
import { appliedCode } from "./dialog/coupon-machine.ts";
import type { GatewayWindow } from "./gateway-window.ts";
import { pollDelay } from "./unfinished-checkout.ts";

/** How long the success panel stays open after the buyer sees it. */
const SUCCESS_MS = 2000;
/** The dialog then stays until the tool's page is there, but no longer than this. */
const NEXT_PAGE_MS = 4000;

export interface FlowDependencies {
  api: CheckoutApi;
  gatewayWindow: Pick<GatewayWindow, "load" | "open">;
  /** Resolves after `ms`, or never once the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Resolves when the page has been painted. A page in the background is painted when the buyer returns to it. */
  waitForPaint(): Promise<void>;
  onTransition(before: CheckoutState, after: CheckoutState): void;
  /** The pass exists: other parts of the page and other tabs should reload their data. */
  onPurchased(): void;
  /** The session ended while the page still showed the buyer as signed in. */
  onSignedOut(): void;
  /**
   * The success panel of this state was shown. Resolves when the dialog is to be closed, or never when the next page closes it.
   */
  onFinished(state: CheckoutState): Promise<void>;
}

export interface CheckoutFlow {
  dispatch(event: CheckoutEvent): void;
  getState(): CheckoutState;
  subscribe(listener: () => void): () => void;
  /** Ends the success panel before its time. */
  leaveSuccess(): void;
}

type StepOf<Name extends Step["name"]> = Extract<Step, { name: Name }>;

type Dispatch = (event: CheckoutEvent) => void;

/** Runs the state machine. Each step starts its effect; a response that arrives after its step was left is dropped. */
export function createCheckoutFlow(deps: FlowDependencies): CheckoutFlow {
  let state = CLOSED;
  let stepEffect = new AbortController();
  let couponCheck = new AbortController();
  let leaveSuccess: () => void = () => undefined;
  const listeners = new Set<() => void>();

  function dispatch(event: CheckoutEvent): void {
    const before = state;
    state = transition(before, event);
    if (state === before) return;
    const after = state;
    deps.onTransition(before, after);
    for (const listener of listeners) listener();
    if (couponBeingChecked(after) !== couponBeingChecked(before)) {
      couponCheck.abort();
      couponCheck = new AbortController();
      const { signal } = couponCheck;
      void checkCoupon(after, deps, signal, dispatchUnlessAborted(signal));
    }
    if (effectKey(after) === effectKey(before)) return;
    stepEffect.abort();
    stepEffect = new AbortController();
    const { signal } = stepEffect;
    // Events of the gateway's window are handled even after the step was left: the buyer may have paid.
    const send = after.step.name === "paying" ? dispatch : dispatchUnlessAborted(signal);
    const left = new Promise<void>((resolve) => {
      leaveSuccess = resolve;
    });
    void runStepEffect(after, deps, { signal, left }, send);
  }

  function dispatchUnlessAborted(signal: AbortSignal): Dispatch {
    return (event) => {
      if (!signal.aborted) dispatch(event);
    };
  }

  return {
    dispatch,
    getState: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    leaveSuccess: () => leaveSuccess(),
  };
}

/** States with the same key share one effect: choosing an option or hiding the dialog restarts nothing. */
function effectKey({ step, tool }: CheckoutState): string {
  const polls = step.name === "polling" ? step.polls : 0;
  return `${step.name} ${polls} ${tool?.slug ?? tool?.name ?? ""}`;
}

/** A response about any other code is dropped. */
function couponBeingChecked({ coupon }: CheckoutState): string | null {
  return coupon.name === "checking" ? coupon.text : null;
}

/** Refusals which show that the displayed offer is out of date. */
const STALE_OFFER_CODES = new Set(["tool-not-found", "contact-only"]);

async function checkCoupon(
  { coupon, offer }: CheckoutState,
  { api }: FlowDependencies,
  signal: AbortSignal,
  dispatch: Dispatch,
): Promise<void> {
  if (coupon.name !== "checking" || !offer) return;
  const result = await api.coupon({ slug: offer.slug, code: coupon.text }, signal);
  if (result.ok) return dispatch({ type: "coupon-accepted", ...result.value });
  if (STALE_OFFER_CODES.has(result.refusal?.code ?? "")) dispatch({ type: "refresh" });
  dispatch({ type: "coupon-refused", error: couponErrorMessage(result.refusal) });
}

/** @param ends.left resolves when the buyer leaves the success panel before its time */
async function runStepEffect(
  state: CheckoutState,
  deps: FlowDependencies,
  { signal, left }: { signal: AbortSignal; left: Promise<void> },
  dispatch: Dispatch,
): Promise<void> {
  const { api } = deps;
  const { step, tool, offer, optionLabel, coupon, renews } = state;
  switch (step.name) {
    case "checking": {
      if (!tool) return;
      const result = await api.offer(tool, signal);
      if (result.ok) return dispatch({ type: "offer-loaded", offer: result.value });
      return dispatch({ type: "offer-failed", missing: result.refusal?.code === "tool-not-found" });
    }
    case "starting": {
      if (!offer) return;
      const result = await api.start({
        slug: offer.slug,
        option: optionLabel,
        coupon: appliedCode(coupon),
        ...(renews && { renewal: true }),
      });
      if (result.ok) return dispatch({ type: "started", checkout: result.value });
      dispatch({ type: "start-failed", refusal: result.refusal });
      if (result.refusal?.code === "unauthenticated") deps.onSignedOut();
      return;
    }
    case "opening":
      return deps.gatewayWindow.load(step.checkout).then(
        () => dispatch({ type: "window-ready" }),
        () => dispatch({ type: "window-failed" }),
      );
    case "paying":
      return openGatewayWindow(step, deps, dispatch);
    case "cancelling":
      return dispatchStatus(await api.cancel(step.checkout.purchaseId), dispatch);
    case "confirming":
      return dispatchStatus(await api.confirm(step.proof), dispatch);
    case "polling":
      await deps.wait(pollDelay(step.polls) ?? 0, signal);
      return dispatchStatus(await api.status(step.checkout.purchaseId, signal), dispatch);
    case "success":
      deps.onPurchased();
      // After a payment in another app the buyer returns to this page later.
      await deps.waitForPaint();
      await Promise.race([deps.wait(SUCCESS_MS, signal), left]);
      if (signal.aborted) return;
      await Promise.race([deps.onFinished(state), deps.wait(NEXT_PAGE_MS, signal)]);
      return dispatch({ type: "finished" });
    default:
      return;
  }
}

/** At once: the window covers the page before the dialog, which closes in this step, begins to fade. */
function openGatewayWindow(
  step: StepOf<"paying">,
  { gatewayWindow }: FlowDependencies,
  dispatch: Dispatch,
): void {
  try {
    gatewayWindow.open(step.checkout, {
      paid: (proof) => dispatch({ type: "paid", proof }),
      declined: () => dispatch({ type: "declined" }),
      dismissed: () => dispatch({ type: "dismissed" }),
    });
  } catch {
    dispatch({ type: "window-failed" });
  }
}

function dispatchStatus(result: ApiResult<CheckoutStatus>, dispatch: Dispatch): void {
  if (result.ok) return dispatch({ type: "status-loaded", status: result.value });
  dispatch({ type: "status-failed", signedOut: result.refusal?.code === "unauthenticated" });
}
