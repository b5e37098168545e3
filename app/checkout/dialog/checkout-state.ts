import { type Quote, quotePrice } from "#core/checkout/pricing.ts";
import type {
  CheckoutOffer,
  CheckoutStatus,
  CheckoutToPay,
  PaymentProof,
  PricingOption,
  StartedCheckout,
} from "../checkout-api.ts";
import type { PurchaseInput, RequestedTool } from "../purchase-request.ts";
import { type CouponEvent, type CouponState, NO_COUPON } from "./coupon-machine.ts";

/** Why the buyer is at the pay button again; shown as a line below it. */
export type Notice =
  | { kind: "closed" | "closed-unsure" | "declined" | "price-changed" | "no-window" | "network" }
  | { kind: "sign-in" | "session-ended" }
  | { kind: "coupon-applied" | "coupon-refused" }
  | { kind: "refused"; message: string };

export type Step =
  | { name: "closed" }
  /** The offer is being loaded. */
  | { name: "checking"; notice: Notice | null }
  | { name: "unreachable" }
  | { name: "missing" }
  | { name: "owned"; until: Date | null }
  | { name: "free" }
  | { name: "contact" }
  | { name: "not-set-up" }
  | { name: "sold-out" }
  | { name: "payable"; notice: Notice | null }
  | { name: "signing-in" }
  /** The payment order is being created. */
  | { name: "starting"; amountPaise: number }
  /** The gateway's script is being loaded. */
  | { name: "opening"; checkout: CheckoutToPay }
  /** The gateway's window is open; our dialog is hidden. */
  | { name: "paying"; checkout: CheckoutToPay; declined: boolean }
  | { name: "cancelling"; checkout: CheckoutToPay; why: "closed" | "declined" | "no-window" }
  | { name: "confirming"; checkout: CheckoutToPay; proof: PaymentProof }
  /** `unreachable`: the shop did not answer the last poll. */
  | { name: "polling"; checkout: CheckoutToPay; polls: number; unreachable: boolean }
  | {
      name: "success";
      orderNumber: string | undefined;
      startsAt?: Date | undefined;
      until: Date;
      chargedPaise: number;
    }
  | { name: "refunded"; reason: string; amountPaise: number }
  /** Authorised by the bank, and left uncaptured by the shop. */
  | { name: "not-taken"; reason: string; amountPaise: number }
  /** Ended by the shop. */
  | { name: "cancelled" }
  /** Paid, and no outcome is known after two minutes of polling, or the browser was signed out meanwhile. */
  | { name: "late"; checkout: CheckoutToPay; cause: "bank" | "unreachable" | "signed-out" };

export interface CheckoutState {
  step: Step;
  tool: RequestedTool | null;
  /** Kept while it is loaded again, so that the dialog keeps its shape. */
  offer: CheckoutOffer | null;
  optionLabel: string | null;
  coupon: CouponState;
  /** The buyer adds to the end of the pass that they have, or has asked for it. */
  renews?: true;
  /** False once the buyer closed the dialog during an operation that continues. */
  visible: boolean;
}

export type CheckoutEvent =
  | { type: "open"; tool: RequestedTool; option?: string; coupon?: PurchaseInput["coupon"]; renews?: true }
  | { type: "close" }
  | { type: "retry" }
  /** Something changed in another tab. */
  | { type: "refresh" }
  | { type: "offer-loaded"; offer: CheckoutOffer }
  | { type: "offer-failed"; missing: boolean }
  | { type: "option-chosen"; label: string }
  | { type: "pay"; signedIn: boolean }
  | { type: "signed-in" }
  | { type: "sign-in-closed" }
  | { type: "started"; checkout: StartedCheckout }
  | { type: "start-failed"; refusal: { code: string; message: string } | null }
  | { type: "window-ready" }
  | { type: "window-failed" }
  | { type: "declined" }
  | { type: "dismissed" }
  | { type: "paid"; proof: PaymentProof }
  /** The response to confirm, cancel or a poll. */
  | { type: "status-loaded"; status: CheckoutStatus }
  | { type: "status-failed"; signedOut: boolean }
  | { type: "finished" }
  | { type: "renew" }
  | CouponEvent;

export type EventOf<Type extends CheckoutEvent["type"]> = Extract<CheckoutEvent, { type: Type }>;

export const CLOSED: CheckoutState = {
  step: { name: "closed" },
  tool: null,
  offer: null,
  optionLabel: null,
  coupon: NO_COUPON,
  visible: false,
};

/** The pricing option that is selected; null while there is no offer. */
export function selectedOption(state: Pick<CheckoutState, "offer" | "optionLabel">): PricingOption | null {
  return state.offer?.options.find(({ label }) => label === state.optionLabel) ?? null;
}

/**
 * The quote of the selected option with the applied coupon. The shop charges exactly this or shows a new price first.
 */
export function currentQuote(state: Pick<CheckoutState, "offer" | "optionLabel" | "coupon">): Quote | null {
  const option = selectedOption(state);
  const { coupon } = state;
  if (!option) return null;
  return quotePrice(option.pricePaise, coupon.name === "applied" ? coupon.discountPercentage : null);
}

/** Also while the offer is loaded again, as after signing in: the choice is kept. */
export function canChooseOption(step: Step): step is Extract<Step, { name: "payable" | "checking" }> {
  return step.name === "payable" || step.name === "checking";
}

/** Whether the coupon row can be edited: not while a payment may be in progress. */
export function isCouponEditable({ step, offer }: CheckoutState): boolean {
  return step.name === "payable" || (step.name === "checking" && offer?.state === "payable");
}

export function withStep(state: CheckoutState, step: Step): CheckoutState {
  return { ...state, step };
}

/** Shows the step even when the buyer has closed the dialog. */
export function withVisibleStep(state: CheckoutState, step: Step): CheckoutState {
  return { ...state, step, visible: true };
}

/** Returns to the pay button, or closes the checkout when the buyer has closed the dialog meanwhile. */
export function payableOrClosed(state: CheckoutState, notice: Notice | null): CheckoutState {
  return state.visible ? withStep(state, { name: "payable", notice }) : CLOSED;
}
