import { beforeEach, expect, test, vi } from "vitest";
import {
  sampleCheckout,
  sampleCoupon,
  sampleGrant,
  sampleOffer,
  sampleProof,
} from "#tests/fixtures/checkout-samples.ts";
import type { ApiResult } from "../connection/shop-api.ts";
import type { CheckoutApi, CheckoutStatus, StartedCheckout, ValidCoupon } from "./checkout-api.ts";
import { createCheckoutFlow, type FlowDependencies } from "./checkout-flow.ts";
import { messageBelowButton } from "./dialog/checkout-messages.ts";
import type { GatewayWindowListener } from "./gateway-window.ts";

const tool = { slug: "canva", name: "Canva", price: 119 };
const until = new Date("2026-12-21T10:00:00Z");
const good = <Value>(value: Value): ApiResult<Value> => ({ ok: true, value });
const nothing = { ok: false, refusal: null } as const;
const ended: ApiResult<CheckoutStatus> = good({ state: "ended" });
const success: ApiResult<CheckoutStatus> = good({ state: "success", expiresAt: until });

let api: { [Name in keyof CheckoutApi]: ReturnType<typeof vi.fn<CheckoutApi[Name]>> };
let windowListener: GatewayWindowListener | null;
let waits: { ms: number; pass(): void }[];
let calls: string[];
/** Called when the page is painted. */
let paint: () => void;
let painted: Promise<void>;
let deps: FlowDependencies;

beforeEach(() => {
  api = {
    offer: vi.fn<CheckoutApi["offer"]>(async () => good(sampleOffer())),
    coupon: vi.fn<CheckoutApi["coupon"]>(async () => good(sampleCoupon)),
    start: vi.fn<CheckoutApi["start"]>(async () => good(sampleCheckout)),
    confirm: vi.fn<CheckoutApi["confirm"]>(async () => success),
    cancel: vi.fn<CheckoutApi["cancel"]>(async () => ended),
    status: vi.fn<CheckoutApi["status"]>(async () => good({ state: "waiting" })),
  };
  windowListener = null;
  waits = [];
  calls = [];
  painted = Promise.resolve();
  deps = {
    api,
    gatewayWindow: {
      load: async () => undefined,
      open: (_checkout, listener) => {
        windowListener = listener;
      },
    },
    wait: (ms) => new Promise((pass) => waits.push({ ms, pass })),
    waitForPaint: () => painted,
    onTransition: () => undefined,
    onPurchased: () => calls.push("purchased"),
    onSignedOut: () => calls.push("signed out"),
    onFinished: async ({ step }) => void calls.push(`finished: ${step.name}`),
  };
});

type Flow = ReturnType<typeof createCheckoutFlow>;
const stepOf = (flow: Flow) => flow.getState().step.name;
const reaches = (flow: Flow, name: string) => vi.waitFor(() => expect(stepOf(flow)).toBe(name));

async function openedFlow(): Promise<Flow> {
  const flow = createCheckoutFlow(deps);
  flow.dispatch({ type: "open", tool });
  await reaches(flow, "payable");
  flow.dispatch({ type: "option-chosen", label: "30 Days" });
  return flow;
}

async function payingFlow(): Promise<{ flow: Flow; gateway: GatewayWindowListener }> {
  const flow = await openedFlow();
  flow.dispatch({ type: "pay", signedIn: true });
  const gateway = await vi.waitFor(
    () => windowListener ?? Promise.reject(new Error("the window did not open")),
  );
  return { flow, gateway };
}

test("a purchase goes from the offer to the order, the gateway's window, the confirmation and two seconds of success", async () => {
  const { flow, gateway } = await payingFlow();
  expect(api.start).toHaveBeenCalledWith({ slug: "canva", option: "30 Days", coupon: null });
  gateway.paid(sampleProof);
  await reaches(flow, "success");
  expect(api.confirm).toHaveBeenCalledWith(sampleProof);
  expect(calls).toEqual(["purchased"]);
  expect(waits.map(({ ms }) => ms)).toEqual([2000]);
  waits[0]?.pass();
  await reaches(flow, "closed");
  expect(calls).toEqual(["purchased", "finished: success"]);
});

test("Renew now leads to the pay button, and the checkout is marked as a renewal, also after its price was checked again", async () => {
  const ownedUntil = new Date("2026-11-25T10:00:00Z");
  api.offer.mockResolvedValue(good(sampleOffer({ state: "already-owned", ownedUntil, canRenew: true })));
  const flow = createCheckoutFlow(deps);
  flow.dispatch({ type: "open", tool });
  await reaches(flow, "owned");
  flow.dispatch({ type: "renew" });
  expect(stepOf(flow)).toBe("payable");
  expect(messageBelowButton(flow.getState(), false).text).toBe("The renewal starts when your pass ends.");
  expect(messageBelowButton(flow.getState(), true)).toMatchObject({
    title: "Test payments",
    text: "No money moves in this shop. The renewal starts when your pass ends.",
  });
  flow.dispatch({ type: "refresh" });
  await reaches(flow, "payable");
  flow.dispatch({ type: "pay", signedIn: true });
  await vi.waitFor(() => expect(api.start).toHaveBeenCalled());
  const started = { slug: "canva", option: "7 Days", coupon: null, renewal: true };
  expect(api.start).toHaveBeenCalledWith(started);
  flow.dispatch({ type: "close" });
  flow.dispatch({ type: "open", tool });
  expect(flow.getState().renews).toBeUndefined();
});

test("Renew now does nothing without a pass that can be renewed", async () => {
  const offer = sampleOffer({ state: "already-owned", ownedUntil: new Date(), canRenew: false });
  api.offer.mockResolvedValue(good(offer));
  const flow = createCheckoutFlow(deps);
  flow.dispatch({ type: "open", tool });
  await reaches(flow, "owned");
  flow.dispatch({ type: "renew" });
  expect(stepOf(flow)).toBe("owned");
});

test("the success panel stays until the page of the tool is there, and four seconds at most", async () => {
  deps.onFinished = () => new Promise(() => undefined);
  const { flow, gateway } = await payingFlow();
  gateway.paid(sampleProof);
  await vi.waitFor(() => expect(waits).toHaveLength(1));
  waits[0]?.pass();
  await vi.waitFor(() => expect(waits.map(({ ms }) => ms)).toEqual([2000, 4000]));
  expect(stepOf(flow)).toBe("success");
  waits[1]?.pass();
  await reaches(flow, "closed");
});

test("a buyer who closes the success panel goes on to the page of the tool at once, and once", async () => {
  const { flow, gateway } = await payingFlow();
  gateway.paid(sampleProof);
  await vi.waitFor(() => expect(waits).toHaveLength(1));
  flow.leaveSuccess();
  flow.leaveSuccess();
  await reaches(flow, "closed");
  waits[0]?.pass();
  expect(calls).toEqual(["purchased", "finished: success"]);
});

test("the two seconds of success start when the buyer returns to the page", async () => {
  painted = new Promise((resolve) => {
    paint = resolve;
  });
  const { flow, gateway } = await payingFlow();
  gateway.paid(sampleProof);
  await vi.waitFor(() => expect(calls).toEqual(["purchased"]));
  expect(waits).toEqual([]);
  paint();
  await vi.waitFor(() => expect(waits.map(({ ms }) => ms)).toEqual([2000]));
  expect(stepOf(flow)).toBe("success");
});

test("a second click on Pay does not start a second checkout", async () => {
  const flow = await openedFlow();
  flow.dispatch({ type: "pay", signedIn: true });
  flow.dispatch({ type: "pay", signedIn: true });
  await reaches(flow, "paying");
  expect(api.start).toHaveBeenCalledTimes(1);
});

test("choosing an option sends no request", async () => {
  const flow = await openedFlow();
  flow.dispatch({ type: "option-chosen", label: "7 Days" });
  expect(flow.getState().optionLabel).toBe("7 Days");
  expect(api.offer).toHaveBeenCalledTimes(1);
});

test("closing the gateway's window cancels the checkout", async () => {
  const { flow, gateway } = await payingFlow();
  gateway.dismissed();
  await vi.waitFor(() =>
    expect(flow.getState().step).toEqual({ name: "payable", notice: { kind: "closed" } }),
  );
  expect(api.cancel).toHaveBeenCalledExactlyOnceWith(sampleCheckout.purchaseId);
});

test("a declined payment does not cancel the checkout while the window is open", async () => {
  const { flow, gateway } = await payingFlow();
  gateway.declined();
  expect(stepOf(flow)).toBe("paying");
  expect(api.cancel).not.toHaveBeenCalled();
  gateway.dismissed();
  await vi.waitFor(() =>
    expect(flow.getState().step).toEqual({ name: "payable", notice: { kind: "declined" } }),
  );
});

test("a payment that is reported after the window was closed counts, and the cancellation does not", async () => {
  let resolveCancel: (result: ApiResult<CheckoutStatus>) => void = () => undefined;
  api.cancel.mockReturnValue(new Promise((resolve) => (resolveCancel = resolve)));
  const { flow, gateway } = await payingFlow();
  gateway.dismissed();
  gateway.paid(sampleProof);
  resolveCancel(ended);
  await reaches(flow, "success");
});

test("a lost confirmation is followed by polls until the outcome is known", async () => {
  api.confirm.mockResolvedValue(nothing);
  const { flow, gateway } = await payingFlow();
  gateway.paid(sampleProof);
  await vi.waitFor(() => expect(waits.map(({ ms }) => ms)).toEqual([1000]));
  waits[0]?.pass();
  await vi.waitFor(() => expect(waits.map(({ ms }) => ms)).toEqual([1000, 2000]));
  api.status.mockResolvedValue(success);
  waits[1]?.pass();
  await reaches(flow, "success");
  expect(api.status).toHaveBeenCalledTimes(2);
});

test("closing the dialog drops the responses to earlier requests", async () => {
  let resolveOffer: (result: ApiResult<ReturnType<typeof sampleOffer>>) => void = () => undefined;
  api.offer.mockReturnValue(new Promise((resolve) => (resolveOffer = resolve)));
  const flow = createCheckoutFlow(deps);
  flow.dispatch({ type: "open", tool });
  flow.dispatch({ type: "close" });
  resolveOffer(good(sampleOffer()));
  await Promise.resolve();
  expect(stepOf(flow)).toBe("closed");
});

test("an order that is created after the dialog was closed is cancelled", async () => {
  let resolveStart: (result: ApiResult<StartedCheckout>) => void = () => undefined;
  api.start.mockReturnValue(new Promise((resolve) => (resolveStart = resolve)));
  const flow = await openedFlow();
  flow.dispatch({ type: "pay", signedIn: true });
  flow.dispatch({ type: "close" });
  resolveStart(good(sampleCheckout));
  await reaches(flow, "closed");
  expect(api.cancel).toHaveBeenCalledWith(sampleCheckout.purchaseId);
  expect(windowListener).toBeNull();
});

test("a gateway window that cannot be opened cancels the checkout and shows a notice", async () => {
  deps.gatewayWindow.load = () => Promise.reject(new Error("no network"));
  const flow = await openedFlow();
  flow.dispatch({ type: "pay", signedIn: true });
  await vi.waitFor(() =>
    expect(flow.getState().step).toEqual({ name: "payable", notice: { kind: "no-window" } }),
  );
  expect(api.cancel).toHaveBeenCalledTimes(1);
});

test("a start that is refused because the session has ended updates the page", async () => {
  api.start.mockResolvedValue({ ok: false, refusal: { code: "unauthenticated", message: "" } });
  const flow = await openedFlow();
  flow.dispatch({ type: "pay", signedIn: true });
  await vi.waitFor(() => expect(calls).toEqual(["signed out"]));
  expect(flow.getState().step).toEqual({ name: "payable", notice: { kind: "session-ended" } });
});

const couponOf = (flow: Flow) => flow.getState().coupon;
const type = (flow: Flow, text: string) => flow.dispatch({ type: "coupon-edited", text });
const apply = (flow: Flow) => flow.dispatch({ type: "coupon-apply" });

test("a coupon is checked once, trimmed and in upper case, and used for the order", async () => {
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

test("a blank code is not checked", async () => {
  const flow = await openedFlow();
  type(flow, "   ");
  apply(flow);
  flow.dispatch({ type: "pay", signedIn: true });
  await vi.waitFor(() => expect(api.start).toHaveBeenCalled());
  expect(api.coupon).not.toHaveBeenCalled();
});

test.each<[string, ApiResult<ValidCoupon>, string]>([
  [
    "a refused coupon",
    { ok: false, refusal: { code: "coupon-expired", message: "This coupon has expired" } },
    "This coupon has expired",
  ],
  ["a failed request", nothing, "Error validating coupon"],
])("%s shows its message at the coupon field", async (_what, result, error) => {
  api.coupon.mockResolvedValue(result);
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
])("the result of a coupon check is dropped when it arrives after %s", async (_what, change) => {
  let resolveCoupon: (result: ApiResult<ValidCoupon>) => void = () => undefined;
  api.coupon.mockReturnValue(new Promise((resolve) => (resolveCoupon = resolve)));
  const flow = await openedFlow();
  type(flow, "MONSOON");
  apply(flow);
  change(flow);
  const [, signal] = api.coupon.mock.calls[0] ?? [];
  expect(signal?.aborted).toBe(true);
  const before = couponOf(flow);
  resolveCoupon(good(sampleCoupon));
  await Promise.resolve();
  expect(couponOf(flow)).toBe(before);
});

test("the result for an earlier code is not applied to a later one", async () => {
  const responses: ((result: ApiResult<ValidCoupon>) => void)[] = [];
  api.coupon.mockImplementation(() => new Promise((resolve) => responses.push(resolve)));
  const flow = await openedFlow();
  for (const code of ["FIRST", "SECOND"]) {
    type(flow, code);
    apply(flow);
  }
  responses[0]?.(good({ code: "FIRST", discountPercentage: 90 }));
  responses[1]?.(good({ code: "SECOND", discountPercentage: 5 }));
  await vi.waitFor(() =>
    expect(couponOf(flow)).toEqual({ name: "applied", code: "SECOND", discountPercentage: 5 }),
  );
});

test("a tool that is found missing while its coupon is checked shows as missing", async () => {
  api.coupon.mockResolvedValue({ ok: false, refusal: { code: "tool-not-found", message: "" } });
  const flow = await openedFlow();
  api.offer.mockResolvedValue({ ok: false, refusal: { code: "tool-not-found", message: "" } });
  type(flow, "MONSOON");
  apply(flow);
  await reaches(flow, "missing");
});

test("a pass that is free of charge is granted at once, without the gateway", async () => {
  api.coupon.mockResolvedValue(good({ code: "GIFT", discountPercentage: 100 }));
  api.start.mockResolvedValue(good(sampleGrant));
  const flow = await openedFlow();
  type(flow, "GIFT");
  apply(flow);
  await vi.waitFor(() => expect(couponOf(flow).name).toBe("applied"));
  flow.dispatch({ type: "pay", signedIn: true });
  await reaches(flow, "success");
  expect(flow.getState().step).toMatchObject({ until, chargedPaise: 0 });
  expect([windowListener, calls]).toEqual([null, ["purchased"]]);
  expect(waits.map(({ ms }) => ms)).toEqual([2000]);
});
