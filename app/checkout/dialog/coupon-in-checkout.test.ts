import { expect, test } from "vitest";
import { sampleCheckout as checkout, sampleCoupon, sampleOffer } from "#tests/fixtures/checkout-samples.ts";
import { transition } from "./checkout-machine.ts";
import { type CheckoutEvent, type CheckoutState, CLOSED, type Step } from "./checkout-state.ts";
import { type CouponState, NO_COUPON } from "./coupon-machine.ts";

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

test("paying with a coupon takes the discount off the price of the selected option", () => {
  expect(transition(payable(applied), pay).step).toEqual({ name: "starting", amountPaise: 9520 });
  const other = transition(payable(applied), { type: "option-chosen", label: "7 Days" });
  expect(other.coupon).toBe(applied);
  expect(transition(other, pay).step).toEqual({ name: "starting", amountPaise: 3920 });
});

test("paying with a coupon starts the checkout also when the charged amount is ₹0", () => {
  const free: CouponState = { name: "applied", code: "GIFT", discountPercentage: 100 };
  expect(transition(payable(free), pay).step).toEqual({ name: "starting", amountPaise: 0 });
});

test.each<[string, { code: string; discountPercentage?: number }, boolean, CouponState]>([
  ["that the shop has accepted is applied", { ...sampleCoupon }, true, applied],
  ["of a visitor waits for the sign-in", { code: "MONSOON" }, false, typed],
  ["of a buyer is checked with the offer", { code: "MONSOON" }, true, checking],
])("a coupon of a link %s", (_case, coupon, signedIn, expected) => {
  const opened = transition(CLOSED, { type: "open", tool, coupon });
  expect(transition(opened, loaded({ signedIn })).coupon).toEqual(expected);
});

test("a coupon of a link that the page has checked meanwhile is applied, before or after the offer is there", () => {
  const opened = transition(CLOSED, { type: "open", tool, coupon: { code: "MONSOON" } });
  const accepted: CheckoutEvent = { type: "coupon-of-link-accepted", ...sampleCoupon };
  const visitor = loaded({ signedIn: false });
  expect(transition(transition(opened, accepted), visitor).coupon).toEqual(applied);
  expect(transition(transition(opened, visitor), accepted).coupon).toEqual(applied);
});

test("a coupon that the page has checked changes nothing once the buyer has changed the code, or while a payment runs", () => {
  const accepted: CheckoutEvent = { type: "coupon-of-link-accepted", ...sampleCoupon };
  const changed = transition(payable(typed), edit);
  expect(transition(changed, accepted)).toEqual(changed);
  for (const coupon of [refused, checking, NO_COUPON])
    expect(transition(payable(coupon), accepted)).toEqual(payable(coupon));
  const starting = at({ name: "starting", amountPaise: 11_900 }, typed);
  expect(transition(starting, accepted)).toBe(starting);
});

test("a coupon of a link is checked once when the visitor signs in before the offer is there", () => {
  const opened = transition(CLOSED, { type: "open", tool, coupon: { code: "MONSOON" } });
  const signedIn = transition(opened, { type: "signed-in" });
  expect(signedIn.coupon).toEqual(typed);
  expect(transition(signedIn, loaded({ signedIn: true })).coupon).toEqual(checking);
});

test("Pay does nothing while a coupon is being checked", () => {
  expect(transition(payable(checking), pay)).toEqual(payable(checking));
});

test("Pay applies a typed code first and shows its price before anything is charged", () => {
  const asked = transition(payable(typed), pay);
  expect(asked).toEqual(payable(checkingFirst));
  const answered = transition(asked, { type: "coupon-accepted", ...sampleCoupon });
  expect(answered).toEqual(at({ name: "payable", notice: { kind: "coupon-applied" } }, applied));
  expect(transition(answered, pay).step).toEqual({ name: "starting", amountPaise: 9520 });
});

test("Pay checks a visitor's code before asking the visitor to sign in", () => {
  expect(transition(payable(typed), { type: "pay", signedIn: false })).toEqual(payable(checkingFirst));
});

test("Pay continues without a refused code when it is pressed again after the refusal", () => {
  const answered = transition(payable(checkingFirst), {
    type: "coupon-refused",
    error: "Invalid coupon code",
  });
  expect(answered).toEqual(at({ name: "payable", notice: { kind: "coupon-refused" } }, refused));
  expect(transition(answered, pay).step).toEqual({ name: "starting", amountPaise: 11_900 });
});

test("the coupon row cannot be edited while a payment may be in progress", () => {
  const starting = at({ name: "starting", amountPaise: 9520 }, applied);
  for (const event of [edit, { type: "coupon-removed" } as const]) {
    expect(transition(starting, event)).toBe(starting);
  }
});

test("the coupon row cannot be edited where nothing can be bought", () => {
  for (const step of [{ name: "sold-out" }, { name: "contact" }, { name: "free" }] as const) {
    expect(transition(at(step, NO_COUPON), edit)).toEqual(at(step, NO_COUPON));
  }
  expect(transition(CLOSED, edit)).toBe(CLOSED);
});

test("the coupon row can be edited while the offer is loaded again", () => {
  const again = at({ name: "checking", notice: null }, NO_COUPON);
  expect(transition(again, edit).coupon).toEqual({ name: "entered", text: "OTHER", error: null });
});

test("the coupon row removes the notice when it is edited, and adds none when Apply succeeds", () => {
  const before = at({ name: "payable", notice: { kind: "declined" } }, applied);
  expect(transition(before, { type: "coupon-removed" })).toEqual(payable({ name: "removed" }));
  const answer: CheckoutEvent = { type: "coupon-accepted", ...sampleCoupon };
  expect(transition(payable(checking), answer)).toEqual(payable(applied));
});

test("an applied coupon stays applied through sign-in, a reload of the offer and a cancelled payment", () => {
  const back = transition(at({ name: "signing-in" }, applied), { type: "signed-in" });
  expect(transition(back, loaded()).coupon).toBe(applied);
  const cancelling = at({ name: "cancelling", checkout, why: "closed" }, applied);
  expect(transition(cancelling, { type: "status-loaded", status: { state: "ended" } })).toEqual(
    at({ name: "payable", notice: { kind: "closed" } }, applied),
  );
});

test("an applied coupon is removed when the dialog closes or another tool is opened", () => {
  expect(transition(payable(applied), { type: "close" })).toEqual(CLOSED);
  const other = transition(payable(applied), { type: "open", tool: { name: "QuillBot", price: 99 } });
  expect(other.coupon).toBe(NO_COUPON);
});

test("an applied coupon comes from the buyer's open checkout when the offer is loaded, with the discount held there", () => {
  const first = at({ name: "checking", notice: null }, NO_COUPON);
  expect(transition(first, loaded({ heldCoupon: sampleCoupon })).coupon).toEqual(applied);
});

test("an applied coupon whose discount has changed is shown at the new price before anything is charged", () => {
  const starting = at({ name: "starting", amountPaise: 9520 }, applied);
  const changed = transition(starting, { type: "started", checkout: { ...checkout, amountPaise: 10_710 } });
  expect(changed.step).toEqual({ name: "checking", notice: { kind: "price-changed" } });
  const held = { ...sampleCoupon, discountPercentage: 10 };
  const shown = transition(changed, loaded({ heldCoupon: held }));
  expect(transition(shown, pay).step).toEqual({ name: "starting", amountPaise: 10_710 });
});

test.each([
  ["coupon-used-up", "Coupon usage limit has been reached"],
  ["coupon-expired", "This coupon has expired"],
  ["coupon-inactive", "This coupon is no longer active"],
  ["coupon-not-found", "Invalid coupon code"],
  ["coupon-lookup-failed", "Error validating coupon"],
])("an applied coupon that is refused at the start as %s stays in the field with the reason", (code, message) => {
  const starting = at({ name: "starting", amountPaise: 9520 }, applied);
  const back = transition(starting, { type: "start-failed", refusal: { code, message } });
  expect(back).toEqual(
    at({ name: "payable", notice: { kind: "coupon-refused" } }, { ...typed, error: message }),
  );
  expect(transition(back, pay).step).toEqual({ name: "starting", amountPaise: 11_900 });
  const hidden = { ...starting, visible: false };
  expect(transition(hidden, { type: "start-failed", refusal: { code, message } })).toEqual(CLOSED);
});

test("an applied coupon stays applied when the start is refused for another reason, whose message is shown", () => {
  const starting = at({ name: "starting", amountPaise: 9520 }, applied);
  const message = "You have 3 unfinished payments. Finish or close one of them, or wait 15 minutes.";
  const refusal = { code: "too-many-checkouts", message };
  expect(transition(starting, { type: "start-failed", refusal })).toEqual(
    at({ name: "payable", notice: { kind: "refused", message } }, applied),
  );
});
