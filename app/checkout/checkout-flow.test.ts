import { beforeEach, expect, test, vi } from "vitest";
import type { AppliedCoupon, StandOfPurchase, StartedCheckout } from "./endpoints/api-schemas.ts";
import type { Answer, CheckoutApi } from "./checkout-api.ts";
import { createCheckoutFlow, type FlowParts } from "./checkout-flow.ts";
import type { WindowEvents } from "./gateway/gateway-window.ts";
import { sampleCheckout, sampleCoupon, sampleGrant, sampleOffer, samplePaid } from "./testing/samples.ts";

const tool = { slug: "canva", name: "Canva", price: 119 };
const until = new Date("2026-12-21T10:00:00Z");
const good = <Value>(value: Value): Answer<Value> => ({ ok: true, value });
const nothing = { ok: false, refusal: null } as const;
const ended: Answer<StandOfPurchase> = good({ state: "ended" });
const success: Answer<StandOfPurchase> = good({ state: "success", expiresAt: until });

let api: { [Name in keyof CheckoutApi]: ReturnType<typeof vi.fn<CheckoutApi[Name]>> };
let webhookEvents: WindowEvents | null;
let waits: { ms: number; pass(): void }[];
let calls: string[];
let parts: FlowParts;

beforeEach(() => {
  api = {
    offer: vi.fn<CheckoutApi["offer"]>(async () => good(sampleOffer())),
    coupon: vi.fn<CheckoutApi["coupon"]>(async () => good(sampleCoupon)),
    start: vi.fn<CheckoutApi["start"]>(async () => good(sampleCheckout)),
    confirm: vi.fn<CheckoutApi["confirm"]>(async () => success),
    cancel: vi.fn<CheckoutApi["cancel"]>(async () => ended),
    status: vi.fn<CheckoutApi["status"]>(async () => good({ state: "waiting" })),
  };
  webhookEvents = null;
  waits = [];
  calls = [];
  parts = {
    api,
    gatewayWindow: {
      load: async () => undefined,
      open: (_checkout, events) => {
        webhookEvents = events;
      },
    },
    wait: (ms) => new Promise((pass) => waits.push({ ms, pass })),
    dialogGone: async () => undefined,
    onBought: () => calls.push("bought"),
    onSignedOut: () => calls.push("signed out"),
    onFinished: () => calls.push("finished"),
  };
});

type Flow = ReturnType<typeof createCheckoutFlow>;
const stepOf = (flow: Flow) => flow.getState().step.name;
const reaches = (flow: Flow, name: string) => vi.waitFor(() => expect(stepOf(flow)).toBe(name));

async function openedFlow(): Promise<Flow> {
  const flow = createCheckoutFlow(parts);
  flow.dispatch({ type: "open", tool });
  await reaches(flow, "payable");
  flow.dispatch({ type: "option-chosen", label: "30 Days" });
  return flow;
}

async function payingFlow(): Promise<{ flow: Flow; events: WindowEvents }> {
  const flow = await openedFlow();
  flow.dispatch({ type: "pay", signedIn: true });
  const events = await vi.waitFor(
    () => webhookEvents ?? Promise.reject(new Error("the window did not open")),
  );
  return { flow, events };
}

test("a purchase: offer, order, window, confirmation, two seconds of success", async () => {
  const { flow, events } = await payingFlow();
  expect(api.start).toHaveBeenCalledWith({ slug: "canva", option: "30 Days", coupon: null });
  events.paid(samplePaid);
  await reaches(flow, "success");
  expect(api.confirm).toHaveBeenCalledWith(samplePaid);
  expect(calls).toEqual(["bought"]);
  expect(waits.map(({ ms }) => ms)).toEqual([2000]);
  waits[0]?.pass();
  await reaches(flow, "closed");
  expect(calls).toEqual(["bought", "finished"]);
});

test("a second click on Pay starts nothing more", async () => {
  const flow = await openedFlow();
  flow.dispatch({ type: "pay", signedIn: true });
  flow.dispatch({ type: "pay", signedIn: true });
  await reaches(flow, "paying");
  expect(api.start).toHaveBeenCalledTimes(1);
});

test("choosing an option asks for nothing again", async () => {
  const flow = await openedFlow();
  flow.dispatch({ type: "option-chosen", label: "7 Days" });
  expect(flow.getState().optionLabel).toBe("7 Days");
  expect(api.offer).toHaveBeenCalledTimes(1);
});

test("closing the window gives back what was held", async () => {
  const { flow, events } = await payingFlow();
  events.dismissed();
  await vi.waitFor(() =>
    expect(flow.getState().step).toEqual({ name: "payable", notice: { kind: "closed" } }),
  );
  expect(api.cancel).toHaveBeenCalledExactlyOnceWith(sampleCheckout.purchaseId);
});

test("a declined payment keeps the order while the window is open", async () => {
  const { flow, events } = await payingFlow();
  events.declined();
  expect(stepOf(flow)).toBe("paying");
  expect(api.cancel).not.toHaveBeenCalled();
  events.dismissed();
  await vi.waitFor(() =>
    expect(flow.getState().step).toEqual({ name: "payable", notice: { kind: "declined" } }),
  );
});

test("a payment heard after the window was closed wins over the cancelling", async () => {
  let answerCancel: (answer: Answer<StandOfPurchase>) => void = () => undefined;
  api.cancel.mockReturnValue(new Promise((resolve) => (answerCancel = resolve)));
  const { flow, events } = await payingFlow();
  events.dismissed();
  events.paid(samplePaid);
  answerCancel(ended);
  await reaches(flow, "success");
});

test("when the confirmation is lost, the shop is asked until it knows", async () => {
  api.confirm.mockResolvedValue(nothing);
  const { flow, events } = await payingFlow();
  events.paid(samplePaid);
  await vi.waitFor(() => expect(waits.map(({ ms }) => ms)).toEqual([1000]));
  waits[0]?.pass();
  await vi.waitFor(() => expect(waits.map(({ ms }) => ms)).toEqual([1000, 2000]));
  api.status.mockResolvedValue(success);
  waits[1]?.pass();
  await reaches(flow, "success");
  expect(api.status).toHaveBeenCalledTimes(2);
});

test("a closed dialog hears of nothing that was asked before", async () => {
  let answerOffer: (answer: Answer<ReturnType<typeof sampleOffer>>) => void = () => undefined;
  api.offer.mockReturnValue(new Promise((resolve) => (answerOffer = resolve)));
  const flow = createCheckoutFlow(parts);
  flow.dispatch({ type: "open", tool });
  flow.dispatch({ type: "close" });
  answerOffer(good(sampleOffer()));
  await Promise.resolve();
  expect(stepOf(flow)).toBe("closed");
});

test("an order that comes after the dialog was closed is cancelled", async () => {
  let answerStart: (answer: Answer<StartedCheckout>) => void = () => undefined;
  api.start.mockReturnValue(new Promise((resolve) => (answerStart = resolve)));
  const flow = await openedFlow();
  flow.dispatch({ type: "pay", signedIn: true });
  flow.dispatch({ type: "close" });
  answerStart(good(sampleCheckout));
  await reaches(flow, "closed");
  expect(api.cancel).toHaveBeenCalledWith(sampleCheckout.purchaseId);
  expect(webhookEvents).toBeNull();
});

test("a window that cannot be opened gives the order back and says so", async () => {
  parts.gatewayWindow.load = () => Promise.reject(new Error("no network"));
  const flow = await openedFlow();
  flow.dispatch({ type: "pay", signedIn: true });
  await vi.waitFor(() =>
    expect(flow.getState().step).toEqual({ name: "payable", notice: { kind: "no-window" } }),
  );
  expect(api.cancel).toHaveBeenCalledTimes(1);
});

test("an ended session is noticed by the page", async () => {
  api.start.mockResolvedValue({ ok: false, refusal: { code: "unauthenticated", message: "" } });
  const flow = await openedFlow();
  flow.dispatch({ type: "pay", signedIn: true });
  await vi.waitFor(() => expect(calls).toEqual(["signed out"]));
  expect(flow.getState().step).toEqual({ name: "payable", notice: { kind: "session-ended" } });
});

const couponOf = (flow: Flow) => flow.getState().coupon;
const type = (flow: Flow, text: string) => flow.dispatch({ type: "coupon-edited", text });
const apply = (flow: Flow) => flow.dispatch({ type: "coupon-apply" });

test("a coupon is asked for once, as it is written on it, and used for the order", async () => {
  const flow = await openedFlow();
  type(flow, " monsoon ");
  apply(flow);
  apply(flow);
  await vi.waitFor(() => expect(couponOf(flow)).toEqual({ name: "applied", ...sampleCoupon }));
  expect(api.coupon).toHaveBeenCalledExactlyOnceWith(
    { slug: "canva", code: "MONSOON" },
    expect.any(AbortSignal),
  );
  expect(api.offer).toHaveBeenCalledTimes(1);
  flow.dispatch({ type: "pay", signedIn: true });
  await vi.waitFor(() => expect(api.start).toHaveBeenCalled());
  expect(api.start).toHaveBeenCalledWith({ slug: "canva", option: "30 Days", coupon: "MONSOON" });
});

test("a blank code is not asked for", async () => {
  const flow = await openedFlow();
  type(flow, "   ");
  apply(flow);
  flow.dispatch({ type: "pay", signedIn: true });
  await vi.waitFor(() => expect(api.start).toHaveBeenCalled());
  expect(api.coupon).not.toHaveBeenCalled();
});

test.each<[string, Answer<AppliedCoupon>, string]>([
  [
    "a refusal",
    { ok: false, refusal: { code: "coupon-expired", message: "This coupon has expired" } },
    "This coupon has expired",
  ],
  ["no answer", nothing, "Error validating coupon"],
])("%s is told at the field", async (_what, answer, error) => {
  api.coupon.mockResolvedValue(answer);
  const flow = await openedFlow();
  type(flow, "MONSOON");
  apply(flow);
  await vi.waitFor(() => expect(couponOf(flow)).toEqual({ name: "entered", text: "MONSOON", error }));
});

test.each<[string, (flow: Flow) => void]>([
  ["the text was edited", (flow) => type(flow, "MONSOONS")],
  ["the dialog was closed", (flow) => flow.dispatch({ type: "close" })],
  [
    "another tool was opened",
    (flow) => flow.dispatch({ type: "open", tool: { name: "QuillBot", price: 99 } }),
  ],
])("an answer that comes after %s is dropped", async (_what, change) => {
  let answerCoupon: (answer: Answer<AppliedCoupon>) => void = () => undefined;
  api.coupon.mockReturnValue(new Promise((resolve) => (answerCoupon = resolve)));
  const flow = await openedFlow();
  type(flow, "MONSOON");
  apply(flow);
  change(flow);
  const [, signal] = api.coupon.mock.calls[0] ?? [];
  expect(signal?.aborted).toBe(true);
  const before = couponOf(flow);
  answerCoupon(good(sampleCoupon));
  await Promise.resolve();
  expect(couponOf(flow)).toBe(before);
});

test("the answer to an earlier code does not stand for a later one", async () => {
  const answers: ((answer: Answer<AppliedCoupon>) => void)[] = [];
  api.coupon.mockImplementation(() => new Promise((resolve) => answers.push(resolve)));
  const flow = await openedFlow();
  for (const code of ["FIRST", "SECOND"]) {
    type(flow, code);
    apply(flow);
  }
  answers[0]?.(good({ code: "FIRST", discountPercentage: 90 }));
  answers[1]?.(good({ code: "SECOND", discountPercentage: 5 }));
  await vi.waitFor(() =>
    expect(couponOf(flow)).toEqual({ name: "applied", code: "SECOND", discountPercentage: 5 }),
  );
});

test("a tool that is gone when its coupon is asked for is looked at again", async () => {
  api.coupon.mockResolvedValue({ ok: false, refusal: { code: "tool-not-found", message: "" } });
  const flow = await openedFlow();
  api.offer.mockResolvedValue({ ok: false, refusal: { code: "tool-not-found", message: "" } });
  type(flow, "MONSOON");
  apply(flow);
  await reaches(flow, "missing");
});

test("a pass that costs nothing is there at once, without the gateway", async () => {
  api.coupon.mockResolvedValue(good({ code: "GIFT", discountPercentage: 100 }));
  api.start.mockResolvedValue(good(sampleGrant));
  const flow = await openedFlow();
  type(flow, "GIFT");
  apply(flow);
  await vi.waitFor(() => expect(couponOf(flow).name).toBe("applied"));
  flow.dispatch({ type: "pay", signedIn: true });
  await reaches(flow, "success");
  expect(flow.getState().step).toMatchObject({ until, chargedPaise: 0 });
  expect([webhookEvents, calls]).toEqual([null, ["bought"]]);
  expect(waits.map(({ ms }) => ms)).toEqual([2000]);
});
