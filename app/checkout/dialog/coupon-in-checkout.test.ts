import { describe, expect, test } from "vitest";
import { transition } from "./checkout-machine.ts";
import { type CheckoutEvent, type CheckoutState, CLOSED, type Step } from "./checkout-state.ts";
import { type CouponState, NO_COUPON } from "./coupon-machine.ts";
import { sampleCheckout as checkout, sampleCoupon, sampleOffer } from "../testing/samples.ts";

const tool = { slug: "canva", name: "Canva", price: 119 };
const applied: CouponState = { name: "applied", ...sampleCoupon };
const typed: CouponState = { name: "entered", text: "MONSOON", error: null };
const refused: CouponState = { ...typed, error: "Invalid coupon code" };
const checking: CouponState = { name: "checking", text: "MONSOON", beforePaying: false };
const checkingFirst: CouponState = { ...checking, beforePaying: true };

function at(step: Step, coupon: CouponState): CheckoutState {
  return { step, tool, offer: sampleOffer(), optionLabel: "30 Days", coupon, visible: true };
}
const payable = (coupon: CouponState) => at({ name: "payable", notice: null }, coupon);
const loaded = (more: Parameters<typeof sampleOffer>[0] = {}): CheckoutEvent => ({
  type: "offer-loaded",
  offer: sampleOffer(more),
});
const pay: CheckoutEvent = { type: "pay", signedIn: true };
const edit: CheckoutEvent = { type: "coupon-edited", text: "OTHER" };

describe("paying", () => {
  test("takes the coupon off the price, for whichever option is chosen", () => {
    expect(transition(payable(applied), pay).step).toEqual({ name: "starting", amountPaise: 9520 });
    const other = transition(payable(applied), { type: "option-chosen", label: "7 Days" });
    expect(other.coupon).toBe(applied);
    expect(transition(other, pay).step).toEqual({ name: "starting", amountPaise: 3920 });
  });

  test("of ₹0 is an amount like any other", () => {
    const free: CouponState = { name: "applied", code: "GIFT", discountPercentage: 100 };
    expect(transition(payable(free), pay).step).toEqual({ name: "starting", amountPaise: 0 });
  });

  test("waits while a coupon is being checked", () => {
    expect(transition(payable(checking), pay)).toEqual(payable(checking));
  });

  test("never passes over a code that was typed: it is applied first, and its price shown", () => {
    const asked = transition(payable(typed), pay);
    expect(asked).toEqual(payable(checkingFirst));
    const answered = transition(asked, { type: "coupon-accepted", ...sampleCoupon });
    expect(answered).toEqual(at({ name: "payable", notice: { kind: "coupon-applied" } }, applied));
    expect(transition(answered, pay).step).toEqual({ name: "starting", amountPaise: 9520 });
  });

  test("a visitor's code is looked at before anybody has to sign in", () => {
    expect(transition(payable(typed), { type: "pay", signedIn: false })).toEqual(payable(checkingFirst));
  });

  test("goes on without a code that was refused, once that was seen", () => {
    const answered = transition(payable(checkingFirst), {
      type: "coupon-refused",
      error: "Invalid coupon code",
    });
    expect(answered).toEqual(at({ name: "payable", notice: { kind: "coupon-refused" } }, refused));
    expect(transition(answered, pay).step).toEqual({ name: "starting", amountPaise: 11_900 });
  });
});

describe("the row", () => {
  test("is closed while money may be moving", () => {
    const starting = at({ name: "starting", amountPaise: 9520 }, applied);
    for (const event of [edit, { type: "coupon-removed" } as const]) {
      expect(transition(starting, event)).toBe(starting);
    }
  });

  test("is closed where nothing can be bought", () => {
    for (const step of [{ name: "sold-out" }, { name: "contact" }, { name: "free" }] as const) {
      expect(transition(at(step, NO_COUPON), edit)).toEqual(at(step, NO_COUPON));
    }
    expect(transition(CLOSED, edit)).toBe(CLOSED);
  });

  test("stays open while the offer is looked at again", () => {
    const again = at({ name: "checking", notice: null }, NO_COUPON);
    expect(transition(again, edit).coupon).toEqual({ name: "entered", text: "OTHER", error: null });
  });

  test("takes away what was said before, and an answer to Apply says nothing below the button", () => {
    const before = at({ name: "payable", notice: { kind: "declined" } }, applied);
    expect(transition(before, { type: "coupon-removed" })).toEqual(payable({ name: "removed" }));
    const answer: CheckoutEvent = { type: "coupon-accepted", ...sampleCoupon };
    expect(transition(payable(checking), answer)).toEqual(payable(applied));
  });
});

describe("an applied coupon", () => {
  test("stays through sign-in, a look at the offer, and a payment that was closed", () => {
    const back = transition(at({ name: "signing-in" }, applied), { type: "signed-in" });
    expect(transition(back, loaded()).coupon).toBe(applied);
    const cancelling = at({ name: "cancelling", checkout, why: "closed" }, applied);
    expect(transition(cancelling, { type: "stand", stand: { state: "ended" } })).toEqual(
      at({ name: "payable", notice: { kind: "closed" } }, applied),
    );
  });

  test("is gone when the dialog closes or another tool is opened", () => {
    expect(transition(payable(applied), { type: "close" })).toEqual(CLOSED);
    const other = transition(payable(applied), { type: "open", tool: { name: "QuillBot", price: 99 } });
    expect(other.coupon).toBe(NO_COUPON);
  });

  test("of an open checkout is applied when the offer comes, at the discount it has there", () => {
    const first = at({ name: "checking", notice: null }, NO_COUPON);
    expect(transition(first, loaded({ heldCoupon: sampleCoupon })).coupon).toEqual(applied);
  });

  test("that means another price by now is shown at that price before anything is charged", () => {
    const starting = at({ name: "starting", amountPaise: 9520 }, applied);
    const changed = transition(starting, { type: "started", checkout: { ...checkout, amountPaise: 10_710 } });
    expect(changed.step).toEqual({ name: "checking", notice: { kind: "price-changed" } });
    const held = { ...sampleCoupon, discountPercentage: 10 };
    const shown = transition(changed, loaded({ heldCoupon: held }));
    expect(transition(shown, pay).step).toEqual({ name: "starting", amountPaise: 10_710 });
  });

  test.each([
    ["coupon-limit-reached", "This coupon has reached its usage limit"],
    ["coupon-expired", "This coupon has expired"],
    ["coupon-inactive", "This coupon is no longer active"],
    ["coupon-not-found", "Invalid coupon code"],
    ["coupon-lookup-failed", "Error validating coupon"],
  ])("refused at the start as %s: its text stays, with the reason", (code, message) => {
    const starting = at({ name: "starting", amountPaise: 9520 }, applied);
    const back = transition(starting, { type: "start-failed", refusal: { code, message } });
    expect(back).toEqual(
      at({ name: "payable", notice: { kind: "coupon-refused" } }, { ...typed, error: message }),
    );
    expect(transition(back, pay).step).toEqual({ name: "starting", amountPaise: 11_900 });
    const hidden = { ...starting, visible: false };
    expect(transition(hidden, { type: "start-failed", refusal: { code, message } })).toEqual(CLOSED);
  });

  test("too many open checkouts are told as they are, and it stays", () => {
    const starting = at({ name: "starting", amountPaise: 9520 }, applied);
    const message = "You have 3 checkouts open. Finish or close one of them, or wait 15 minutes.";
    const refusal = { code: "too-many-checkouts", message };
    expect(transition(starting, { type: "start-failed", refusal })).toEqual(
      at({ name: "payable", notice: { kind: "refused", message } }, applied),
    );
  });
});
