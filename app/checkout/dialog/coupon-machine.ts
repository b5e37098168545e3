/** The coupon row of the bill. What is asked for is trimmed and upper case; what is being typed is left as it is. */
export type CouponState =
  | { name: "entered"; text: string; error: string | null }
  /** `beforePaying`: Pay was pressed with a code not applied yet, so the price has to be shown first. */
  | { name: "checking"; text: string; beforePaying: boolean }
  | { name: "applied"; code: string; discountPercentage: number }
  /** Taken off by the buyer, and so not put back by itself. */
  | { name: "removed" };

export type CouponEvent =
  | { type: "coupon-edited"; text: string }
  | { type: "coupon-apply"; beforePaying?: boolean }
  | { type: "coupon-removed" }
  | { type: "coupon-accepted"; code: string; discountPercentage: number }
  | { type: "coupon-refused"; error: string };

export const NO_COUPON: CouponState = { name: "entered", text: "", error: null };

/** What stands in the field. */
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

/** A code waits in the field that nobody has said anything about yet. */
export function isUnanswered(coupon: CouponState): boolean {
  return coupon.name === "entered" && coupon.error === null && coupon.text.trim() !== "";
}

/** The next state of the row; the same one when the event means nothing in it. */
export function changeCoupon(coupon: CouponState, event: CouponEvent): CouponState {
  switch (event.type) {
    case "coupon-edited":
      return event.text === couponText(coupon) ? coupon : { name: "entered", text: event.text, error: null };
    case "coupon-apply": {
      if (coupon.name !== "entered") return coupon;
      const text = coupon.text.trim().toUpperCase();
      return text === "" ? coupon : { name: "checking", text, beforePaying: event.beforePaying ?? false };
    }
    case "coupon-removed":
      return coupon.name === "applied" ? { name: "removed" } : coupon;
    case "coupon-accepted":
      if (coupon.name !== "checking") return coupon;
      return { name: "applied", code: event.code, discountPercentage: event.discountPercentage };
    case "coupon-refused":
      return coupon.name === "checking" ? { name: "entered", text: coupon.text, error: event.error } : coupon;
  }
}

/** The coupon an open checkout of the buyer's own carries is shown as applied again, unless they did something since. */
export function resumeCoupon(
  coupon: CouponState,
  held: { code: string; discountPercentage: number } | null,
): CouponState {
  if (!held) return coupon;
  const untouched = coupon.name === "entered" && coupon.text === "";
  const same = coupon.name === "applied" && coupon.code === held.code;
  return untouched || same
    ? { name: "applied", code: held.code, discountPercentage: held.discountPercentage }
    : coupon;
}
