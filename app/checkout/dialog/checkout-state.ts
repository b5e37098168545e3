import type {
  OpenedCheckout,
  PaidCallback,
  ShownOffer,
  StandOfPurchase,
  StartedCheckout,
} from "../endpoints/api-schemas.ts";
import { type CouponEvent, type CouponState, NO_COUPON } from "./coupon-machine.ts";

/** What somebody asked to buy. `slug` is preferred; `price` is a hint only, the shop's own answer counts. */
export interface WantedTool {
  slug?: string;
  name: string;
  price: number;
}

/** A quiet line above the pay button: why the buyer is back there. */
export type Notice =
  | { kind: "closed" | "closed-unsure" | "declined" | "price-changed" | "no-window" | "network" }
  | { kind: "sign-in" | "session-ended" }
  | { kind: "coupon-applied" | "coupon-refused" }
  | { kind: "refused"; message: string };

export type Step =
  | { name: "closed" }
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
  /** The order is being made. */
  | { name: "starting"; amountPaise: number }
  /** The gateway's script is being loaded. */
  | { name: "opening"; checkout: OpenedCheckout }
  /** The gateway's window is in front; ours is out of the way. */
  | { name: "paying"; checkout: OpenedCheckout; declined: boolean }
  | { name: "cancelling"; checkout: OpenedCheckout; why: "closed" | "declined" | "no-window" }
  | { name: "confirming"; checkout: OpenedCheckout; paid: PaidCallback }
  /** `unheard`: the shop did not answer the last question. */
  | { name: "polling"; checkout: OpenedCheckout; tries: number; unheard: boolean }
  | { name: "success"; until: Date; chargedPaise: number }
  | { name: "refunded"; reason: string; amountPaise: number }
  /** Approved by the bank, and not captured by the shop. */
  | { name: "not-taken"; reason: string; amountPaise: number }
  /** Ended by the shop. */
  | { name: "cancelled" }
  /** Paid, and still no word after two minutes. */
  | { name: "late"; checkout: OpenedCheckout; unheard: boolean };

export interface CheckoutState {
  step: Step;
  tool: WantedTool | null;
  /** Stays while it is asked for again, so that the dialog keeps its shape. */
  offer: ShownOffer | null;
  optionLabel: string | null;
  coupon: CouponState;
  /** False once the buyer closed the dialog while something was still under way. */
  visible: boolean;
}

export type CheckoutEvent =
  | { type: "open"; tool: WantedTool }
  | { type: "close" }
  | { type: "retry" }
  /** Something changed in another tab. */
  | { type: "refresh" }
  | { type: "offer-loaded"; offer: ShownOffer }
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
  | { type: "paid"; paid: PaidCallback }
  /** The shop said where the purchase stands. */
  | { type: "stand"; stand: StandOfPurchase }
  /** The shop could not be asked. */
  | { type: "stand-unknown" }
  | { type: "finished" }
  | CouponEvent;

export const CLOSED: CheckoutState = {
  step: { name: "closed" },
  tool: null,
  offer: null,
  optionLabel: null,
  coupon: NO_COUPON,
  visible: false,
};

export type EventOf<Type extends CheckoutEvent["type"]> = Extract<CheckoutEvent, { type: Type }>;

export function to(state: CheckoutState, step: Step): CheckoutState {
  return { ...state, step };
}

/** Back before the pay button; for one who closed the dialog meanwhile, the end. */
export function payable(state: CheckoutState, notice: Notice | null): CheckoutState {
  return state.visible ? to(state, { name: "payable", notice }) : CLOSED;
}
