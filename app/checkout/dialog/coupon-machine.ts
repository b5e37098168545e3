import { normaliseCouponCode } from "#core/typed-text.ts";
import type { PurchaseInput } from "../purchase-request.ts";

/** The state of the coupon row. A code being checked is trimmed and upper case; typed text is kept as typed. */
export type CouponState =
  | { name: "entered"; text: string; error: string | null }
  /** `beforePaying`: Pay was pressed with an unchecked code, so its price is shown before anything is charged. */
  | { name: "checking"; text: string; beforePaying: boolean }
  | { name: "applied"; code: string; discountPercentage: number }
  /** Removed by the buyer: the coupon of an open checkout is not restored. */
  | { name: "removed" };

export type CouponEvent =
  | { type: "coupon-edited"; text: string }
  | { type: "coupon-apply"; beforePaying?: boolean }
  | { type: "coupon-removed" }
  | { type: "coupon-of-link-accepted"; code: string; discountPercentage: number }
  | { type: "coupon-accepted"; code: string; discountPercentage: number }
  | { type: "coupon-refused"; error: string };

export const NO_COUPON: CouponState = { name: "entered", text: "", error: null };

/** The state with which a purchase from a link with a coupon begins. */
export function couponOfLink(coupon: PurchaseInput["coupon"]): CouponState {
  if (coupon === undefined) return NO_COUPON;
  const { code, discountPercentage } = coupon;
  return discountPercentage === undefined
    ? { name: "entered", text: code, error: null }
    : { name: "applied", code, discountPercentage };
}

/** The value of the coupon field. */
export function couponText(coupon: CouponState): string {
  switch (coupon.name) {
    case "applied":
      return coupon.code;
    case "removed":
      return "";
    default:
      return coupon.text;
  }
}

export function appliedCode(coupon: CouponState): string | null {
  return coupon.name === "applied" ? coupon.code : null;
}

/** Whether there has been no code: none was typed, applied or removed. */
export function isUntouched(coupon: CouponState): boolean {
  return coupon.name === "entered" && coupon.text === "";
}

/** Whether the field holds a code that has not been checked yet. */
export function isUnchecked(coupon: CouponState): boolean {
  return coupon.name === "entered" && coupon.error === null && coupon.text.trim() !== "";
}

/** The next state; the same object when the event has no meaning in this state. */
export function transitionCoupon(coupon: CouponState, event: CouponEvent): CouponState {
  switch (event.type) {
    case "coupon-edited":
      return event.text === couponText(coupon) ? coupon : { name: "entered", text: event.text, error: null };
    case "coupon-apply": {
      if (coupon.name !== "entered") return coupon;
      const text = normaliseCouponCode(coupon.text);
      return text === "" ? coupon : { name: "checking", text, beforePaying: event.beforePaying ?? false };
    }
    case "coupon-removed":
      return coupon.name === "applied" ? { name: "removed" } : coupon;
    case "coupon-of-link-accepted": {
      const { code, discountPercentage } = event;
      const isUnchanged = isUnchecked(coupon) && normaliseCouponCode(couponText(coupon)) === code;
      return isUnchanged ? { name: "applied", code, discountPercentage } : coupon;
    }
    case "coupon-accepted":
      if (coupon.name !== "checking") return coupon;
      return { name: "applied", code: event.code, discountPercentage: event.discountPercentage };
    case "coupon-refused":
      return coupon.name === "checking" ? { name: "entered", text: coupon.text, error: event.error } : coupon;
  }
}

/** Shows the coupon of the buyer's open checkout as applied, unless the buyer has changed the row since. */
export function restoreCoupon(
  coupon: CouponState,
  held: { code: string; discountPercentage: number } | null,
): CouponState {
  if (!held) return coupon;
  const same = coupon.name === "applied" && coupon.code === held.code;
  return isUntouched(coupon) || same
    ? { name: "applied", code: held.code, discountPercentage: held.discountPercentage }
    : coupon;
}
