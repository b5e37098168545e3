import { describe, expect, test } from "vitest";
import { transition } from "./checkout-machine.ts";
import { progressWords } from "./checkout-messages.ts";
import { type CheckoutEvent, type CheckoutState, CLOSED, type Step } from "./checkout-state.ts";
import { NO_COUPON } from "./coupon-machine.ts";
import {
  sampleCheckout as checkout,
  sampleGrant as granted,
  samplePaid as paid,
  sampleOffer,
} from "../testing/samples.ts";

const tool = { slug: "canva", name: "Canva", price: 119 };
const offer = sampleOffer();
const until = new Date("2026-12-21T10:00:00Z");

function at(step: Step, more: Partial<CheckoutState> = {}): CheckoutState {
  return { step, tool, offer, optionLabel: "30 Days", coupon: NO_COUPON, visible: true, ...more };
}
const steps = {
  closed: CLOSED,
  checking: at({ name: "checking", notice: null }, { offer: null, optionLabel: null }),
  unreachable: at({ name: "unreachable" }, { offer: null }),
  owned: at({ name: "owned", until }),
  soldOut: at({ name: "sold-out" }),
  payable: at({ name: "payable", notice: null }),
  signingIn: at({ name: "signing-in" }),
  free: at({ name: "free" }),
  freeSigningIn: at({ name: "signing-in" }, { offer: sampleOffer({ state: "free" }) }),
  starting: at({ name: "starting", amountPaise: 11_900 }),
  opening: at({ name: "opening", checkout }),
  paying: at({ name: "paying", checkout, declined: false }),
  declined: at({ name: "paying", checkout, declined: true }),
  cancelling: at({ name: "cancelling", checkout, why: "closed" }),
  confirming: at({ name: "confirming", checkout, paid }),
  polling: at({ name: "polling", checkout, tries: 3, unheard: false }),
  success: at({ name: "success", until, chargedPaise: 14_900 }),
  late: at({ name: "late", checkout, unheard: false }),
} satisfies Record<string, CheckoutState>;
type At = keyof typeof steps;

const stand = (state: "confirming" | "waiting" | "ended"): CheckoutEvent => ({
  type: "stand",
  stand: { state },
});
const bought: CheckoutEvent = { type: "stand", stand: { state: "success", expiresAt: until } };
const endedUnsure: CheckoutEvent = { type: "stand", stand: { state: "ended", unsure: true } };
const notTaken: CheckoutEvent = { type: "stand", stand: { state: "not-taken", reason: "Sold out." } };
const cancelled: CheckoutEvent = { type: "stand", stand: { state: "cancelled" } };
const refunded: CheckoutEvent = { type: "stand", stand: { state: "refunded", reason: "Sold out." } };
const refused = (code: string): CheckoutEvent => ({
  type: "start-failed",
  refusal: { code, message: "No." },
});
const loaded = (more: Parameters<typeof sampleOffer>[0] = {}): CheckoutEvent => ({
  type: "offer-loaded",
  offer: sampleOffer(more),
});

describe("one event takes one step", () => {
  test.each<[At, CheckoutEvent, Partial<Step>]>([
    ["closed", { type: "open", tool }, { name: "checking" }],
    ["checking", loaded(), { name: "payable", notice: null }],
    ["checking", loaded({ state: "already-owned", ownedUntil: until }), { name: "owned", until }],
    ["checking", loaded({ state: "contact-only" }), { name: "contact" }],
    ["checking", loaded({ state: "free" }), { name: "free" }],
    ["checking", loaded({ state: "payments-not-set-up" }), { name: "not-set-up" }],
    ["checking", loaded({ availableStock: 0 }), { name: "sold-out" }],
    ["checking", loaded({ availableStock: 0, resumable: true }), { name: "payable" }],
    ["checking", { type: "offer-failed", missing: false }, { name: "unreachable" }],
    ["checking", { type: "offer-failed", missing: true }, { name: "missing" }],
    ["unreachable", { type: "retry" }, { name: "checking" }],
    ["soldOut", { type: "retry" }, { name: "checking" }],
    ["late", { type: "retry" }, { name: "polling", tries: 0 }],
    ["payable", { type: "refresh" }, { name: "checking" }],
    ["payable", { type: "pay", signedIn: false }, { name: "signing-in" }],
    ["payable", { type: "pay", signedIn: true }, { name: "starting", amountPaise: 11_900 }],
    ["signingIn", { type: "signed-in" }, { name: "checking" }],
    ["signingIn", { type: "sign-in-closed" }, { name: "payable", notice: { kind: "sign-in" } }],
    ["free", { type: "pay", signedIn: false }, { name: "signing-in" }],
    ["freeSigningIn", { type: "sign-in-closed" }, { name: "free" }],
    ["starting", { type: "started", checkout }, { name: "opening" }],
    ["starting", { type: "started", checkout: granted }, { name: "success", until, chargedPaise: 0 }],
    ["starting", { type: "start-failed", refusal: null }, { name: "payable", notice: { kind: "network" } }],
    ["starting", refused("unauthenticated"), { name: "payable", notice: { kind: "session-ended" } }],
    ["starting", refused("already-owned"), { name: "owned", until: null }],
    ["starting", refused("tool-out-of-stock"), { name: "sold-out" }],
    ["starting", refused("contact-only"), { name: "contact" }],
    ["starting", refused("tool-is-free"), { name: "free" }],
    ["starting", refused("payments-not-set-up"), { name: "not-set-up" }],
    ["starting", refused("tool-not-found"), { name: "missing" }],
    ["starting", refused("option-not-found"), { name: "checking", notice: { kind: "price-changed" } }],
    [
      "starting",
      refused("gateway-unavailable"),
      { name: "payable", notice: { kind: "refused", message: "No." } },
    ],
    ["opening", { type: "window-ready" }, { name: "paying", declined: false }],
    ["opening", { type: "window-failed" }, { name: "cancelling", why: "no-window" }],
    ["paying", { type: "window-failed" }, { name: "cancelling", why: "no-window" }],
    ["paying", { type: "declined" }, { name: "paying", declined: true }],
    ["paying", { type: "dismissed" }, { name: "cancelling", why: "closed" }],
    ["declined", { type: "dismissed" }, { name: "cancelling", why: "declined" }],
    ["paying", { type: "paid", paid }, { name: "confirming", paid }],
    ["declined", { type: "paid", paid }, { name: "confirming" }],
    ["cancelling", { type: "paid", paid }, { name: "confirming" }],
    ["cancelling", stand("ended"), { name: "payable", notice: { kind: "closed" } }],
    ["cancelling", endedUnsure, { name: "payable", notice: { kind: "closed-unsure" } }],
    ["cancelling", { type: "stand-unknown" }, { name: "payable", notice: { kind: "closed-unsure" } }],
    ["cancelling", bought, { name: "success", until, chargedPaise: checkout.amountPaise }],
    ["cancelling", stand("confirming"), { name: "polling", tries: 0 }],
    ["confirming", bought, { name: "success", until }],
    ["confirming", refunded, { name: "refunded", reason: "Sold out.", amountPaise: 11_900 }],
    ["confirming", stand("confirming"), { name: "polling", tries: 0, unheard: false }],
    ["confirming", { type: "stand-unknown" }, { name: "polling", tries: 0, unheard: true }],
    ["polling", stand("waiting"), { name: "polling", tries: 4, unheard: false }],
    ["polling", stand("ended"), { name: "polling", tries: 4 }],
    ["polling", { type: "stand-unknown" }, { name: "polling", tries: 4, unheard: true }],
    ["polling", bought, { name: "success" }],
    ["polling", refunded, { name: "refunded" }],
    ["cancelling", notTaken, { name: "not-taken", reason: "Sold out.", amountPaise: 11_900 }],
    ["confirming", notTaken, { name: "not-taken" }],
    ["polling", notTaken, { name: "not-taken" }],
    ["polling", cancelled, { name: "cancelled" }],
    ["success", { type: "finished" }, { name: "closed" }],
    ["payable", { type: "close" }, { name: "closed" }],
    ["owned", { type: "close" }, { name: "closed" }],
    ["late", { type: "close" }, { name: "closed" }],
    ["success", { type: "close" }, { name: "closed" }],
  ])("%s, %o", (from, event, expected) => {
    expect(transition(steps[from], event).step).toMatchObject(expected);
  });
});

describe("an event without meaning changes nothing", () => {
  test.each<[At, CheckoutEvent]>([
    ["starting", { type: "pay", signedIn: true }],
    ["opening", { type: "pay", signedIn: true }],
    ["confirming", { type: "dismissed" }],
    ["success", { type: "dismissed" }],
    ["paying", { type: "close" }],
    ["paying", { type: "paid", paid: { ...paid, orderId: "order_of_another" } }],
    ["payable", { type: "started", checkout }],
    ["payable", loaded()],
    ["payable", { type: "option-chosen", label: "365 Days" }],
    ["starting", { type: "option-chosen", label: "7 Days" }],
    ["closed", bought],
    ["confirming", { type: "refresh" }],
    ["owned", { type: "pay", signedIn: true }],
    ["soldOut", { type: "pay", signedIn: true }],
  ])("%s, %o", (from, event) => {
    expect(transition(steps[from], event)).toBe(steps[from]);
  });
});

describe("a dialog closed while something is under way", () => {
  const hidden = (from: At) => transition(steps[from], { type: "close" });

  test("is hidden, and the work goes on", () => {
    for (const from of ["starting", "cancelling", "confirming", "polling"] as const) {
      expect(hidden(from)).toEqual({ ...steps[from], visible: false });
    }
  });

  test("gives back an order made meanwhile and ends quietly", () => {
    const cancelling = transition(hidden("starting"), { type: "started", checkout });
    expect(cancelling).toMatchObject({ step: { name: "cancelling" }, visible: false });
    expect(transition(cancelling, stand("ended"))).toEqual(CLOSED);
    expect(transition(hidden("opening"), stand("ended"))).toEqual(CLOSED);
    expect(transition(hidden("starting"), { type: "start-failed", refusal: null })).toEqual(CLOSED);
  });

  test.each<[At, CheckoutEvent, Step["name"]]>([
    ["cancelling", bought, "success"],
    ["confirming", bought, "success"],
    ["polling", bought, "success"],
    ["cancelling", refunded, "refunded"],
    ["confirming", refunded, "refunded"],
    ["polling", refunded, "refunded"],
    ["polling", notTaken, "not-taken"],
    ["polling", cancelled, "cancelled"],
  ])("comes back for how the payment ended: %s, %o", (from, event, name) => {
    expect(transition(hidden(from), event)).toMatchObject({ step: { name }, visible: true });
  });

  test("comes back for a pass that cost nothing", () => {
    expect(transition(hidden("starting"), { type: "started", checkout: granted })).toMatchObject({
      step: { name: "success", chargedPaise: 0 },
      visible: true,
    });
  });

  test("comes back when asked for again", () => {
    expect(transition(hidden("polling"), { type: "open", tool })).toEqual(steps.polling);
    expect(transition(hidden("confirming"), { type: "open", tool: { name: "QuillBot", price: 1 } })).toEqual(
      steps.confirming,
    );
  });

  test("lets another tool be bought while a payment is only waited for", () => {
    const other = { slug: "quillbot", name: "QuillBot", price: 99 };
    expect(transition(hidden("polling"), { type: "open", tool: other })).toMatchObject({
      step: { name: "checking" },
      tool: other,
    });
  });
});

test("opening for another tool forgets the one before", () => {
  const other = { name: "QuillBot", price: 99 };
  expect(transition(steps.payable, { type: "open", tool: other })).toEqual({
    step: { name: "checking", notice: null },
    tool: other,
    offer: null,
    optionLabel: null,
    coupon: NO_COUPON,
    visible: true,
  });
});

test("looking again keeps what was said", () => {
  const before = at({ name: "payable", notice: { kind: "session-ended" } });
  const after = transition(transition(before, { type: "refresh" }), loaded({ signedIn: false }));
  expect(after.step).toEqual(before.step);
});

test("choosing an option takes the notice away and keeps the rest", () => {
  const before = at({ name: "payable", notice: { kind: "declined" } });
  expect(transition(before, { type: "option-chosen", label: "7 Days" })).toEqual(
    at({ name: "payable", notice: null }, { optionLabel: "7 Days" }),
  );
});

test("the chosen option stays through sign-in, unless it is gone", () => {
  const back = transition(at({ name: "signing-in" }, { optionLabel: "7 Days" }), { type: "signed-in" });
  expect(transition(back, loaded())).toMatchObject({ step: { name: "payable" }, optionLabel: "7 Days" });
  const [, second] = offer.options;
  expect(transition(back, loaded({ options: second ? [second] : [] }))).toMatchObject({
    optionLabel: "30 Days",
  });
});

test("an order for another amount than shown is not opened: the new price is shown first", () => {
  const dearer = { ...checkout, amountPaise: 12_900 };
  const next = transition(steps.starting, { type: "started", checkout: dearer });
  expect(next.step).toEqual({ name: "checking", notice: { kind: "price-changed" } });
  expect(transition(next, loaded()).step).toEqual({ name: "payable", notice: { kind: "price-changed" } });
});

test("an amount below what the gateway takes is shown and charged as one rupee", () => {
  const [option] = offer.options;
  if (!option) throw new Error("the sample has no option");
  const cheap = at(
    { name: "payable", notice: null },
    { offer: sampleOffer({ options: [{ ...option, pricePaise: 40 }] }), optionLabel: option.label },
  );
  expect(transition(cheap, { type: "pay", signedIn: true }).step).toEqual({
    name: "starting",
    amountPaise: 100,
  });
});

test("the option of the buyer's own open checkout is chosen, until they choose another", () => {
  const first = loaded({ heldOption: "30 Days" });
  const shown = transition({ ...steps.checking, optionLabel: null }, first);
  expect(shown.optionLabel).toBe("30 Days");
  const other = transition(shown, { type: "option-chosen", label: "7 Days" });
  expect(transition(transition(other, { type: "refresh" }), first).optionLabel).toBe("7 Days");
  const gone = loaded({ heldOption: "90 Days" });
  expect(transition({ ...steps.checking, optionLabel: null }, gone).optionLabel).toBe("7 Days");
});

test("a shop that cannot be reached after paying is told apart from a slow bank", () => {
  const checked = "Your payment is being checked. Please do not pay again.";
  const silent = "No connection to the shop. Your money is safe; please do not pay again.";
  const slow = "The bank takes longer than usual. Your money is safe; please do not pay again.";
  const textOf = (state: CheckoutState) => progressWords(state)?.text;
  const once = transition(steps.confirming, { type: "stand-unknown" });
  expect(textOf(once)).toBe(silent);
  const heard = transition(once, stand("confirming"));
  expect(textOf(heard)).toBe(checked);
  expect(textOf(transition(transition(heard, stand("confirming")), stand("confirming")))).toBe(slow);
  let state = heard;
  while (state.step.name === "polling") state = transition(state, { type: "stand-unknown" });
  expect(state.step).toMatchObject({ name: "late", unheard: true });
});

test("after two minutes without word it says so", () => {
  let state: CheckoutState = steps.confirming;
  let asked = 0;
  while (state.step.name === "confirming" || state.step.name === "polling") {
    state = transition(state, stand("confirming"));
    asked++;
  }
  expect(state.step.name).toBe("late");
  expect(asked).toBeGreaterThan(10);
  expect(asked).toBeLessThan(30);
});
