import { beforeEach, expect, test, vi } from "vitest";
import type { Answer, CheckoutApi } from "./checkout-api.ts";
import { createCheckoutFlow, type FlowParts } from "./checkout-flow.ts";
import type { WindowEvents } from "./gateway-window.ts";
import { sampleCheckout, sampleOffer, samplePaid } from "./testing/samples.ts";
import type { OpenedCheckout, StandOfPurchase } from "./wire.ts";

const tool = { slug: "canva", name: "Canva", price: 119 };
const until = new Date("2026-12-21T10:00:00Z");
const good = <Value>(value: Value): Answer<Value> => ({ ok: true, value });
const nothing = { ok: false, refusal: null } as const;
const ended: Answer<StandOfPurchase> = good({ state: "ended" });
const success: Answer<StandOfPurchase> = good({ state: "success", expiresAt: until });

let api: { [Name in keyof CheckoutApi]: ReturnType<typeof vi.fn<CheckoutApi[Name]>> };
let gatewayEvents: WindowEvents | null;
let waits: { ms: number; pass(): void }[];
let calls: string[];
let parts: FlowParts;

beforeEach(() => {
  api = {
    offer: vi.fn<CheckoutApi["offer"]>(async () => good(sampleOffer())),
    start: vi.fn<CheckoutApi["start"]>(async () => good(sampleCheckout)),
    confirm: vi.fn<CheckoutApi["confirm"]>(async () => success),
    cancel: vi.fn<CheckoutApi["cancel"]>(async () => ended),
    status: vi.fn<CheckoutApi["status"]>(async () => good({ state: "waiting" })),
  };
  gatewayEvents = null;
  waits = [];
  calls = [];
  parts = {
    api,
    gatewayWindow: {
      load: async () => undefined,
      open: (_checkout, events) => {
        gatewayEvents = events;
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
    () => gatewayEvents ?? Promise.reject(new Error("the window did not open")),
  );
  return { flow, events };
}

test("a purchase: offer, order, window, confirmation, two seconds of success", async () => {
  const { flow, events } = await payingFlow();
  expect(api.start).toHaveBeenCalledWith({ slug: "canva", option: "30 Days" });
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
  let answerStart: (answer: Answer<OpenedCheckout>) => void = () => undefined;
  api.start.mockReturnValue(new Promise((resolve) => (answerStart = resolve)));
  const flow = await openedFlow();
  flow.dispatch({ type: "pay", signedIn: true });
  flow.dispatch({ type: "close" });
  answerStart(good(sampleCheckout));
  await reaches(flow, "closed");
  expect(api.cancel).toHaveBeenCalledWith(sampleCheckout.purchaseId);
  expect(gatewayEvents).toBeNull();
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
