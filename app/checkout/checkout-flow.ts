import type { StandOfPurchase } from "./endpoints/api-schemas.ts";
import type { Answer, CheckoutApi } from "./checkout-api.ts";
import { transition } from "./dialog/checkout-machine.ts";
import { type CheckoutEvent, type CheckoutState, CLOSED, type Step } from "./dialog/checkout-state.ts";
import { appliedCode } from "./dialog/coupon-machine.ts";
import { couponError } from "./dialog/coupon-messages.ts";
import type { GatewayWindow } from "./gateway/gateway-window.ts";
import { pollDelay } from "./gateway/poll-schedule.ts";

/** How long the buyer sees that it worked. */
const SUCCESS_MS = 2000;

export interface FlowParts {
  api: CheckoutApi;
  gatewayWindow: GatewayWindow;
  /** Resolves after `ms`, or never once the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Resolves when a dialog that was told to go no longer holds the page. */
  dialogGone(): Promise<void>;
  /** The pass exists: other parts of the page and other tabs should look again. */
  onBought(): void;
  /** The session ended while the page still showed the buyer as signed in. */
  onSignedOut(): void;
  /** The success was seen; the dialog closes with this. */
  onFinished(): void;
}

export interface CheckoutFlow {
  dispatch(event: CheckoutEvent): void;
  getState(): CheckoutState;
  subscribe(listener: () => void): () => void;
}

type StepOf<Name extends Step["name"]> = Extract<Step, { name: Name }>;

/** Drives the machine: carries out what each step asks for, and drops answers that come after the step was left. */
export function createCheckoutFlow(parts: FlowParts): CheckoutFlow {
  let state = CLOSED;
  let running = new AbortController();
  let asking = new AbortController();
  const listeners = new Set<() => void>();

  function dispatch(event: CheckoutEvent): void {
    const before = state;
    state = transition(before, event);
    if (state === before) return;
    const now = state;
    for (const listener of listeners) listener();
    if (codeAskedFor(now) !== codeAskedFor(before)) {
      asking.abort();
      asking = new AbortController();
      void checkCoupon(now, parts, asking.signal, tellUnless(asking.signal));
    }
    if (workOf(now) === workOf(before)) return;
    running.abort();
    running = new AbortController();
    const { signal } = running;
    // What the buyer does in the gateway's window counts, however late it is heard.
    void carryOut(now, parts, signal, now.step.name === "paying" ? dispatch : tellUnless(signal));
  }

  function tellUnless(signal: AbortSignal): Tell {
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
  };
}

/** Two states with the same work share one effect: choosing an option or hiding the dialog restarts nothing. */
function workOf({ step, tool }: CheckoutState): string {
  const tries = step.name === "polling" ? step.tries : 0;
  return `${step.name} ${tries} ${tool?.slug ?? tool?.name ?? ""}`;
}

/** The code under way, if one is. Every answer to an earlier one is dropped. */
function codeAskedFor({ coupon }: CheckoutState): string | null {
  return coupon.name === "checking" ? coupon.text : null;
}

const SALE_CHANGED = new Set(["tool-not-found", "contact-only"]);

type Tell = (event: CheckoutEvent) => void;

async function checkCoupon(
  { coupon, offer }: CheckoutState,
  { api }: FlowParts,
  signal: AbortSignal,
  tell: Tell,
): Promise<void> {
  if (coupon.name !== "checking" || !offer) return;
  const answer = await api.coupon({ slug: offer.slug, code: coupon.text }, signal);
  if (answer.ok) return tell({ type: "coupon-accepted", ...answer.value });
  // What is on sale has changed since it was shown.
  if (SALE_CHANGED.has(answer.refusal?.code ?? "")) tell({ type: "refresh" });
  tell({ type: "coupon-refused", error: couponError(answer.refusal) });
}

async function carryOut(
  { step, tool, offer, optionLabel, coupon }: CheckoutState,
  parts: FlowParts,
  signal: AbortSignal,
  tell: Tell,
): Promise<void> {
  const { api } = parts;
  switch (step.name) {
    case "checking": {
      if (!tool) return;
      const answer = await api.offer(tool, signal);
      if (answer.ok) return tell({ type: "offer-loaded", offer: answer.value });
      return tell({ type: "offer-failed", missing: answer.refusal?.code === "tool-not-found" });
    }
    case "starting": {
      if (!offer) return;
      const answer = await api.start({ slug: offer.slug, option: optionLabel, coupon: appliedCode(coupon) });
      if (answer.ok) return tell({ type: "started", checkout: answer.value });
      tell({ type: "start-failed", refusal: answer.refusal });
      if (answer.refusal?.code === "unauthenticated") parts.onSignedOut();
      return;
    }
    case "opening":
      return parts.gatewayWindow.load(step.checkout).then(
        () => tell({ type: "window-ready" }),
        () => tell({ type: "window-failed" }),
      );
    case "paying":
      return pay(step, parts, tell);
    case "cancelling":
      return tellStand(await api.cancel(step.checkout.purchaseId), tell);
    case "confirming":
      return tellStand(await api.confirm(step.paid), tell);
    case "polling":
      await parts.wait(pollDelay(step.tries) ?? 0, signal);
      return tellStand(await api.status(step.checkout.purchaseId, signal), tell);
    case "success":
      parts.onBought();
      await parts.wait(SUCCESS_MS, signal);
      parts.onFinished();
      return tell({ type: "finished" });
    default:
      return;
  }
}

async function pay(
  step: StepOf<"paying">,
  { gatewayWindow, dialogGone }: FlowParts,
  tell: Tell,
): Promise<void> {
  await dialogGone();
  try {
    gatewayWindow.open(step.checkout, {
      paid: (paid) => tell({ type: "paid", paid }),
      declined: () => tell({ type: "declined" }),
      dismissed: () => tell({ type: "dismissed" }),
    });
  } catch {
    tell({ type: "window-failed" });
  }
}

function tellStand(answer: Answer<StandOfPurchase>, tell: Tell): void {
  tell(answer.ok ? { type: "stand", stand: answer.value } : { type: "stand-unknown" });
}
