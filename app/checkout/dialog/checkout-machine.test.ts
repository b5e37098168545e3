import { describe, expect, test } from "vitest";
import {
  sampleCheckout as checkout,
  sampleGrant as granted,
  sampleProof as proof,
  sampleOffer,
} from "#tests/fixtures/checkout-samples.ts";
import { transition } from "./checkout-machine.ts";
import { keptChoice, messageBelowButton, progressMessage } from "./checkout-messages.ts";
import { type CheckoutEvent, type CheckoutState, CLOSED, type Step } from "./checkout-state.ts";
import { NO_COUPON } from "./coupon-machine.ts";

const tool = { slug: "canva", name: "Canva", price: 119 };
const offer = sampleOffer();
const orderNumber = "K7QM4XTP";
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
  confirming: at({ name: "confirming", checkout, proof }),
  polling: at({ name: "polling", checkout, polls: 3, unreachable: false }),
  success: at({ name: "success", orderNumber, until, chargedPaise: 14_900 }),
  late: at({ name: "late", checkout, cause: "bank" }),
} satisfies Record<string, CheckoutState>;
type At = keyof typeof steps;

const statusLoaded = (state: "confirming" | "waiting" | "ended"): CheckoutEvent => ({
  type: "status-loaded",
  status: { state },
});
const bought: CheckoutEvent = {
  type: "status-loaded",
  status: { state: "success", orderNumber, expiresAt: until },
};
const endedUnsure: CheckoutEvent = { type: "status-loaded", status: { state: "ended", unsure: true } };
const notTaken: CheckoutEvent = {
  type: "status-loaded",
  status: { state: "not-taken", reason: "Sold out." },
};
const cancelled: CheckoutEvent = { type: "status-loaded", status: { state: "cancelled" } };
const refunded: CheckoutEvent = { type: "status-loaded", status: { state: "refunded", reason: "Sold out." } };
const refused = (code: string): CheckoutEvent => ({
  type: "start-failed",
  refusal: { code, message: "No." },
});
const loaded = (more: Parameters<typeof sampleOffer>[0] = {}): CheckoutEvent => ({
  type: "offer-loaded",
  offer: sampleOffer(more),
});

const openCheckout = {
  amountPaise: 11_900,
  startedAt: new Date("2026-11-21T09:55:00Z"),
  declined: false,
};

test.each<[At, CheckoutEvent, Partial<Step>]>([
  ["closed", { type: "open", tool }, { name: "checking" }],
  ["checking", loaded(), { name: "payable", notice: null }],
  ["checking", loaded({ state: "already-owned", ownedUntil: until }), { name: "owned", until }],
  ["checking", loaded({ state: "contact-only" }), { name: "contact" }],
  ["checking", loaded({ state: "free" }), { name: "free" }],
  ["checking", loaded({ state: "payments-not-set-up" }), { name: "not-set-up" }],
  ["checking", loaded({ availableStock: 0 }), { name: "sold-out" }],
  ["checking", loaded({ availableStock: 0, openCheckout }), { name: "payable" }],
  ["checking", { type: "offer-failed", missing: false }, { name: "unreachable" }],
  ["checking", { type: "offer-failed", missing: true }, { name: "missing" }],
  ["unreachable", { type: "retry" }, { name: "checking" }],
  ["soldOut", { type: "retry" }, { name: "checking" }],
  ["late", { type: "retry" }, { name: "polling", polls: 0 }],
  ["payable", { type: "refresh" }, { name: "checking" }],
  ["payable", { type: "pay", signedIn: false }, { name: "signing-in" }],
  ["payable", { type: "pay", signedIn: true }, { name: "starting", amountPaise: 11_900 }],
  ["signingIn", { type: "signed-in" }, { name: "checking" }],
  ["signingIn", { type: "sign-in-closed" }, { name: "payable", notice: { kind: "sign-in" } }],
  ["free", { type: "pay", signedIn: false }, { name: "signing-in" }],
  ["freeSigningIn", { type: "sign-in-closed" }, { name: "free" }],
  ["starting", { type: "started", checkout }, { name: "opening" }],
  [
    "starting",
    { type: "started", checkout: granted },
    { name: "success", orderNumber, until, chargedPaise: 0 },
  ],
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
  ["paying", { type: "paid", proof }, { name: "confirming", proof }],
  ["declined", { type: "paid", proof }, { name: "confirming" }],
  ["cancelling", { type: "paid", proof }, { name: "confirming" }],
  ["cancelling", statusLoaded("ended"), { name: "payable", notice: { kind: "closed" } }],
  ["cancelling", endedUnsure, { name: "payable", notice: { kind: "closed-unsure" } }],
  [
    "cancelling",
    { type: "status-failed", signedOut: false },
    { name: "payable", notice: { kind: "closed-unsure" } },
  ],
  ["cancelling", bought, { name: "success", until, chargedPaise: checkout.amountPaise }],
  ["cancelling", statusLoaded("confirming"), { name: "polling", polls: 0 }],
  ["confirming", bought, { name: "success", orderNumber, until }],
  ["confirming", refunded, { name: "refunded", reason: "Sold out.", amountPaise: 11_900 }],
  ["confirming", statusLoaded("confirming"), { name: "polling", polls: 0, unreachable: false }],
  [
    "confirming",
    { type: "status-failed", signedOut: false },
    { name: "polling", polls: 0, unreachable: true },
  ],
  ["polling", statusLoaded("waiting"), { name: "polling", polls: 4, unreachable: false }],
  ["polling", statusLoaded("ended"), { name: "polling", polls: 4 }],
  ["polling", { type: "status-failed", signedOut: false }, { name: "polling", polls: 4, unreachable: true }],
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
])("the dialog in the step %s is led by the event %o to %o", (from, event, expected) => {
  expect(transition(steps[from], event).step).toMatchObject(expected);
});

test.each<[At, CheckoutEvent]>([
  ["starting", { type: "pay", signedIn: true }],
  ["opening", { type: "pay", signedIn: true }],
  ["confirming", { type: "dismissed" }],
  ["success", { type: "dismissed" }],
  ["paying", { type: "close" }],
  ["paying", { type: "paid", proof: { ...proof, gatewayOrderId: "order_of_another" } }],
  ["payable", { type: "started", checkout }],
  ["payable", loaded()],
  ["payable", { type: "option-chosen", label: "365 Days" }],
  ["starting", { type: "option-chosen", label: "7 Days" }],
  ["closed", bought],
  ["confirming", { type: "refresh" }],
  ["owned", { type: "pay", signedIn: true }],
  ["owned", { type: "renew" }],
  ["payable", { type: "renew" }],
  ["soldOut", { type: "pay", signedIn: true }],
])("the dialog in the step %s is not changed by the event %o", (from, event) => {
  expect(transition(steps[from], event)).toBe(steps[from]);
});

describe("a dialog closed during an operation", () => {
  const hidden = (from: At) => transition(steps[from], { type: "close" });

  test("a dialog that is closed during an operation is hidden while the operation continues", () => {
    for (const from of ["starting", "cancelling", "confirming", "polling"] as const) {
      expect(hidden(from)).toEqual({ ...steps[from], visible: false });
    }
  });

  test("a dialog that is closed while an order is created cancels the order, without showing anything", () => {
    const cancelling = transition(hidden("starting"), { type: "started", checkout });
    expect(cancelling).toMatchObject({ step: { name: "cancelling" }, visible: false });
    expect(transition(cancelling, statusLoaded("ended"))).toEqual(CLOSED);
    expect(transition(hidden("opening"), statusLoaded("ended"))).toEqual(CLOSED);
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
  ])("a closed dialog is shown again for the outcome of the payment: in the step %s the event %o leads to %s", (from, event, name) => {
    expect(transition(hidden(from), event)).toMatchObject({ step: { name }, visible: true });
  });

  test("a closed dialog is shown again for a pass that was free of charge", () => {
    expect(transition(hidden("starting"), { type: "started", checkout: granted })).toMatchObject({
      step: { name: "success", chargedPaise: 0 },
      visible: true,
    });
  });

  test("a closed dialog is shown again when the buyer opens it again", () => {
    expect(transition(hidden("polling"), { type: "open", tool })).toEqual(steps.polling);
    expect(transition(hidden("confirming"), { type: "open", tool: { name: "QuillBot", price: 1 } })).toEqual(
      steps.confirming,
    );
  });

  test("a closed dialog lets the buyer open another tool while a payment is being polled", () => {
    const other = { slug: "quillbot", name: "QuillBot", price: 99 };
    expect(transition(hidden("polling"), { type: "open", tool: other })).toMatchObject({
      step: { name: "checking" },
      tool: other,
    });
  });
});

test("the dialog is reset when it is opened for another tool", () => {
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

test("the option that was chosen on the page before is selected in the dialog", () => {
  const opened = transition(CLOSED, { type: "open", tool: { name: "Canva", price: 49 }, option: "30 Days" });
  expect(transition(opened, loaded({})).optionLabel).toBe("30 Days");
});

test("an option that is no longer on sale is replaced by the cheapest one", () => {
  const opened = transition(CLOSED, { type: "open", tool: { name: "Canva", price: 49 }, option: "1 Day" });
  expect(transition(opened, loaded({})).optionLabel).toBe("7 Days");
  const options = sampleOffer().options.toReversed();
  expect(transition(opened, loaded({ options })).optionLabel).toBe("7 Days");
});

test("a visitor who signs in within the dialog keeps the choice, and loses the message that the session has ended", () => {
  const before = at({ name: "payable", notice: { kind: "session-ended" } }, { optionLabel: "30 Days" });
  const checking = at({ name: "checking", notice: null }, { optionLabel: "30 Days" });
  expect(transition(before, { type: "signed-in" })).toEqual(checking);
  expect(transition(transition(before, { type: "refresh" }), { type: "signed-in" })).toEqual(checking);
});

test("the dialog keeps its notice when the offer is reloaded", () => {
  const before = at({ name: "payable", notice: { kind: "session-ended" } });
  const after = transition(transition(before, { type: "refresh" }), loaded({ signedIn: false }));
  expect(after.step).toEqual(before.step);
});

test("the dialog loses its notice when an option is chosen, and keeps everything else", () => {
  const before = at({ name: "payable", notice: { kind: "declined" } });
  expect(transition(before, { type: "option-chosen", label: "7 Days" })).toEqual(
    at({ name: "payable", notice: null }, { optionLabel: "7 Days" }),
  );
});

test("an option that is chosen while the offer is loaded again stays chosen", () => {
  const checking = transition(at({ name: "signing-in" }, { optionLabel: "30 Days" }), { type: "signed-in" });
  const chosen = transition(checking, { type: "option-chosen", label: "7 Days" });
  expect(chosen).toEqual({ ...checking, optionLabel: "7 Days" });
  expect(transition(chosen, loaded())).toMatchObject({ step: { name: "payable" }, optionLabel: "7 Days" });
});

test("the selected option stays selected through sign-in, unless it is no longer on sale", () => {
  const back = transition(at({ name: "signing-in" }, { optionLabel: "7 Days" }), { type: "signed-in" });
  expect(transition(back, loaded())).toMatchObject({ step: { name: "payable" }, optionLabel: "7 Days" });
  const [, second] = offer.options;
  expect(transition(back, loaded({ options: second ? [second] : [] }))).toMatchObject({
    optionLabel: "30 Days",
  });
});

test("an order for another amount than the displayed one shows the new price instead of opening the payment window", () => {
  const dearer = { ...checkout, amountPaise: 12_900 };
  const next = transition(steps.starting, { type: "started", checkout: dearer });
  expect(next.step).toEqual({ name: "checking", notice: { kind: "price-changed" } });
  expect(transition(next, loaded()).step).toEqual({ name: "payable", notice: { kind: "price-changed" } });
});

test("an amount below the gateway's minimum is displayed and charged as one rupee", () => {
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

test("the option of the buyer's open checkout is selected until the buyer chooses another", () => {
  const first = loaded({ heldOption: "30 Days" });
  const shown = transition({ ...steps.checking, optionLabel: null }, first);
  expect(shown.optionLabel).toBe("30 Days");
  const other = transition(shown, { type: "option-chosen", label: "7 Days" });
  expect(transition(transition(other, { type: "refresh" }), first).optionLabel).toBe("7 Days");
  const notOnSale = loaded({ heldOption: "90 Days" });
  expect(transition({ ...steps.checking, optionLabel: null }, notOnSale).optionLabel).toBe("7 Days");
});

test("the unfinished payment of the offer is not mentioned any more once the buyer goes on with it", () => {
  const shown = transition(steps.checking, loaded({ openCheckout }));
  expect(shown.offer).toMatchObject({ openCheckout });
  const starting = transition(shown, { type: "pay", signedIn: true });
  const paying = transition({ ...starting, step: steps.starting.step }, { type: "started", checkout });
  expect(paying).toMatchObject({
    step: { name: "opening" },
    offer: { name: "Canva", openCheckout: null },
  });
});

describe("a lost connection says what it has not cost", () => {
  const textAfter = (changes: Partial<CheckoutState>) => {
    const before = { ...steps.starting, ...changes };
    const after = transition(before, { type: "start-failed", refusal: null });
    const { optionLabel, coupon } = after;
    expect({ optionLabel, coupon }).toEqual({ optionLabel: before.optionLabel, coupon: before.coupon });
    return messageBelowButton(after, false).text;
  };
  const [only] = offer.options;
  const single = sampleOffer({ options: only ? [only] : [] });
  const applied = { name: "applied", code: "HALF", discountPercentage: 50 } as const;

  test.each<[string, Partial<CheckoutState>, string]>([
    ["the duration", { coupon: NO_COUPON }, " Your duration is kept."],
    ["the duration and the coupon", { coupon: applied }, " Your duration and coupon are kept."],
    ["the coupon", { offer: single, coupon: applied }, " Your coupon is kept."],
    ["nothing, where there was no choice", { offer: single, coupon: NO_COUPON }, ""],
  ])("a lost connection says that it has not cost %s", (_, changes, kept) => {
    expect(textAfter({ optionLabel: "7 Days", ...changes })).toBe(`Nothing was charged.${kept}`);
  });

  test("a lost connection says that the duration chosen on the page is kept, also before the offer is loaded", () => {
    expect(keptChoice({ ...steps.unreachable, optionLabel: "7 Days" })).toBe("Your duration is kept.");
    expect(keptChoice({ ...steps.unreachable, optionLabel: null })).toBe("");
  });
});

test("an unreachable shop and a slow bank have different messages after paying", () => {
  const checked = "We’re checking your payment. Please don’t pay again.";
  const unreachable = "No connection to the shop. Your money is safe; please don’t pay again.";
  const slow = "Your bank is taking longer than usual. Your money is safe; please don’t pay again.";
  const textOf = (state: CheckoutState) => progressMessage(state)?.text;
  const first = transition(steps.confirming, { type: "status-failed", signedOut: false });
  expect(textOf(first)).toBe(unreachable);
  const second = transition(first, statusLoaded("confirming"));
  expect(textOf(second)).toBe(checked);
  expect(textOf(transition(transition(second, statusLoaded("confirming")), statusLoaded("confirming")))).toBe(
    slow,
  );
  let state = second;
  while (state.step.name === "polling")
    state = transition(state, { type: "status-failed", signedOut: false });
  expect(state.step).toMatchObject({ name: "late", cause: "unreachable" });
});

test.each([
  "confirming",
  "polling",
] as const)("a browser that is signed out while %s says so at once", (name) => {
  const { step, visible } = transition(steps[name], { type: "status-failed", signedOut: true });
  expect(step).toMatchObject({ name: "late", cause: "signed-out" });
  expect(visible).toBe(true);
});

test("the dialog shows the late panel after two minutes of polling without an outcome", () => {
  let state: CheckoutState = steps.confirming;
  let polls = 0;
  while (state.step.name === "confirming" || state.step.name === "polling") {
    state = transition(state, statusLoaded("confirming"));
    polls++;
  }
  expect(state.step.name).toBe("late");
  expect(polls).toBeGreaterThan(10);
  expect(polls).toBeLessThan(30);
});

test.each([
  [
    "with a pass that can be renewed begins at the payment",
    { state: "already-owned", canRenew: true },
    "payable",
    true,
  ],
  [
    "with a pass that cannot be renewed yet says so",
    { state: "already-owned", canRenew: false },
    "owned",
    true,
  ],
  ["without a pass is a purchase", { state: "payable" }, "payable", undefined],
] as const)("a renewal %s", (_case, more, step, renews) => {
  const opened = transition(CLOSED, { type: "open", tool, renews: true });
  const loaded = transition(opened, { type: "offer-loaded", offer: sampleOffer(more) });
  expect([loaded.step.name, loaded.renews]).toEqual([step, renews]);
});
