import { beforeEach, expect, test, vi } from "vitest";
import { sampleCheckout, sampleOffer } from "#tests/fixtures/checkout-samples.ts";
import type { ApiResult } from "../connection/shop-api.ts";
import type { CheckoutApi, CheckoutStatus } from "./checkout-api.ts";
import { type CheckoutState, CLOSED, type Step } from "./dialog/checkout-state.ts";
import { pollDelay, readUnfinished, rememberUnfinished, waitForOutcome } from "./unfinished-checkout.ts";

const until = new Date("2026-12-21T10:00:00Z");
const unfinished = { purchaseId: sampleCheckout.purchaseId, slug: "canva", name: "Canva" };
const at = (step: Step): CheckoutState => ({ ...CLOSED, offer: sampleOffer(), step });
const payable = at({ name: "payable", notice: null });
const paying = at({ name: "paying", checkout: sampleCheckout, declined: false });
const answer = (value: CheckoutStatus): ApiResult<CheckoutStatus> => ({ ok: true, value });
const noAnswer: ApiResult<CheckoutStatus> = { ok: false, refusal: null };

beforeEach(() => {
  const items = new Map<string, string>();
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => items.set(key, value),
    removeItem: (key: string) => items.delete(key),
  });
  return () => vi.unstubAllGlobals();
});

/** Polls until the outcome is known; the last answer repeats. */
async function outcomeAfter(...answers: ApiResult<CheckoutStatus>[]) {
  rememberUnfinished(payable, paying);
  const status = vi.fn<CheckoutApi["status"]>();
  for (const result of answers) status.mockResolvedValueOnce(result);
  status.mockResolvedValue(answers.at(-1) ?? noAnswer);
  const wait = vi.fn(async () => undefined);
  const deps = { api: { status }, wait, onOpen: vi.fn() };
  const outcome = await waitForOutcome(unfinished, deps, new AbortController().signal);
  const told = deps.onOpen.mock.calls.flat();
  return { outcome, told, polls: status.mock.calls.length, remembered: readUnfinished() !== null };
}

test("a checkout is remembered from the payment window to its outcome", () => {
  const polling = at({ name: "polling", checkout: sampleCheckout, polls: 0, unreachable: false });
  rememberUnfinished(payable, at({ name: "opening", checkout: sampleCheckout }));
  expect(readUnfinished()).toBeNull();
  rememberUnfinished(payable, paying);
  rememberUnfinished(paying, polling);
  expect(readUnfinished()).toMatchObject(unfinished);
  const orderNumber = "K7QM4XTP";
  rememberUnfinished(polling, at({ name: "success", orderNumber, until, chargedPaise: 11_900 }));
  expect(readUnfinished()).toBeNull();
});

test("opening the dialog again forgets nothing that it does not know of", () => {
  rememberUnfinished(payable, paying);
  rememberUnfinished(CLOSED, at({ name: "checking", notice: null }));
  expect(readUnfinished()).toMatchObject(unfinished);
});

test.each([
  "",
  "null",
  '{"purchaseId":"p"}',
  `${Date.now()}\np\ncanva`,
  "yesterday\np\ncanva\nCanva",
])("a stored text of another shape is no checkout: %j", (text) => {
  rememberUnfinished(payable, paying);
  sessionStorage.setItem("unfinished-checkout", text);
  expect(readUnfinished()).toBeNull();
});

test("the outcome of a payment is told once, after polls without one", async () => {
  const success = answer({ state: "success", expiresAt: until });
  const [waiting, confirming] = [answer({ state: "waiting" }), answer({ state: "confirming" })];
  expect(await outcomeAfter(waiting, noAnswer, waiting, confirming, success)).toEqual({
    outcome: { state: "success", expiresAt: until },
    told: ["waiting", "confirming"],
    polls: 5,
    remembered: false,
  });
  const refunded: CheckoutStatus = { state: "refunded", reason: "The tool is sold out." };
  expect(await outcomeAfter(answer(refunded))).toEqual({
    outcome: refunded,
    told: [],
    polls: 1,
    remembered: false,
  });
});

test("nothing is told of a checkout that ended without a payment, or that belongs to somebody else", async () => {
  const nothing = { outcome: null, told: [], polls: 1, remembered: false };
  expect(await outcomeAfter(answer({ state: "ended" }))).toEqual(nothing);
  const refusal = { code: "purchase-not-found", message: "Purchase not found" };
  expect(await outcomeAfter({ ok: false, refusal })).toEqual(nothing);
});

test("a payment that stays unknown stays remembered for the next page", async () => {
  expect(await outcomeAfter(answer({ state: "waiting" }))).toMatchObject({ outcome: null, remembered: true });
});

test("the first polls of an unfinished checkout come quickly, then one every eight seconds, for about two minutes", () => {
  const delays: number[] = [];
  for (let delay = pollDelay(0); delay !== null; delay = pollDelay(delays.length)) delays.push(delay / 1000);
  expect(delays.slice(0, 7)).toEqual([1, 2, 3, 5, 8, 8, 8]);
  const total = delays.reduce((sum, seconds) => sum + seconds, 0);
  expect(total).toBeGreaterThanOrEqual(115);
  expect(total).toBeLessThanOrEqual(130);
});
