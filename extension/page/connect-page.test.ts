import fc from "fast-check";
import { expect, test } from "vitest";
import { PRESENCE_REQUEST, presence, TRIGGER_TYPE, triggerSchema } from "#contracts/page-messages.ts";
import { parseMessage } from "#contracts/parse-message.ts";
import { connectPage, type ShopPage } from "./connect-page.ts";
import type { RedeemMessage } from "./redeem-message.ts";

const ORIGIN = "http://shop.example:3000";
const trigger = { type: TRIGGER_TYPE, accessCode: "CODE", toolName: "Chat", userEmail: "a@example.com" };

/** A page with the extension. `send` is a message that the page hears; `heard` are those that the extension posted. */
function openPage(options: { origin?: string; top?: object; answer?: unknown } = {}) {
  const heard: { data: unknown; target: string }[] = [];
  const redeemed: RedeemMessage[] = [];
  const stored = new Map<string, string>();
  const listeners: Parameters<ShopPage["addEventListener"]>[1][] = [];
  const page: ShopPage = {
    location: { origin: options.origin ?? ORIGIN },
    top: null,
    localStorage: {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, value) => void stored.set(key, value),
    },
    addEventListener: (_type, listener) => void listeners.push(listener),
    postMessage: (data, target) => void heard.push({ data, target }),
  };
  page.top = options.top ?? page;
  connectPage(page, ORIGIN, {
    version: "1.2.3",
    redeem: async (message) => {
      redeemed.push(message);
      if (options.answer instanceof Error) throw options.answer;
      return options.answer ?? { blocked: false, message: "ready" };
    },
  });
  const send = (
    data: unknown,
    event: { source: unknown; origin: string } = { source: page, origin: ORIGIN },
  ) => {
    for (const listener of listeners) listener({ data, ...event });
  };
  return { page, heard, redeemed, send };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test("the extension announces itself to the shop's origin when the page loads, and on request", () => {
  const { heard, send } = openPage();
  const announced = { data: presence("1.2.3"), target: ORIGIN };
  expect(heard).toEqual([announced]);
  send(PRESENCE_REQUEST);
  expect(heard).toEqual([announced, announced]);
});

test("a trigger is redeemed with its code and ticket only, and answered with its request id", async () => {
  const { heard, redeemed, send } = openPage();
  send({ ...trigger, ticket: "T", requestId: "r1", extra: "x" });
  await settle();
  expect(redeemed).toEqual([{ kind: "redeem", accessCode: "CODE", ticket: "T" }]);
  expect(heard.at(-1)).toEqual({
    data: { type: "EXTENSION_RESPONSE", blocked: false, message: "ready", requestId: "r1" },
    target: ORIGIN,
  });
});

test("the answer of a refused browser has the limit of browsers", async () => {
  const refused = { blocked: true, message: "Maximum installations exceeded", limit: 2 };
  const { heard, send } = openPage({ answer: refused });
  send(trigger);
  await settle();
  expect(heard.at(-1)?.data).toEqual({ type: "EXTENSION_RESPONSE", ...refused });
});

test("the page remembers the installation, so that a temporary extension is not counted twice", async () => {
  const installationId = "0199a000-0000-4000-8000-000000000001";
  const { redeemed, send } = openPage({ answer: { blocked: false, message: "ready", installationId } });
  send(trigger);
  await settle();
  send(trigger);
  await settle();
  expect(redeemed.map((message) => message.installationId)).toEqual([undefined, installationId]);
});

test.each([
  ["fails", new Error("the background is gone")],
  ["is malformed", { blocked: "no" }],
  ["is missing", null],
])("a page is told to reload when the background's answer %s", async (_what, answer) => {
  const { heard, send } = openPage({ answer: answer ?? 0 });
  send(trigger);
  await settle();
  expect(heard.at(-1)?.data).toMatchObject({ blocked: true, message: expect.stringContaining("reload") });
});

test("a message from another window, a frame or another origin is ignored", async () => {
  const { page, heard, redeemed, send } = openPage();
  for (const event of [
    { source: {}, origin: ORIGIN },
    { source: null, origin: ORIGIN },
    { source: page, origin: "http://shop.example:3001" },
    { source: page, origin: "https://shop.example:3000" },
    { source: page, origin: "null" },
    { source: page, origin: `${ORIGIN}.evil.example` },
  ]) {
    send(trigger, event);
    send(PRESENCE_REQUEST, event);
  }
  await settle();
  expect(redeemed).toEqual([]);
  expect(heard).toHaveLength(1);
});

test("a message on another port of the shop's host and in a frame is ignored, because the extension does nothing there", () => {
  for (const options of [{ origin: "http://shop.example" }, { top: {} }]) {
    const { heard, redeemed, send } = openPage(options);
    send(trigger);
    expect([heard, redeemed]).toEqual([[], []]);
  }
});

test("a message that is not in the contract is ignored: 10,000 malformed ones change nothing and crash nothing", async () => {
  const { heard, redeemed, send } = openPage();
  const value = fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, withMap: true });
  const malformed = fc.oneof(
    value,
    fc.record(
      {
        type: fc.constantFrom(TRIGGER_TYPE, "EXTENSION_RESPONSE", "DAYPASS_EXTENSION_REQUEST "),
        accessCode: value,
      },
      { requiredKeys: ["type"] },
    ),
    fc.record({ ...Object.fromEntries(Object.keys(trigger).map((key) => [key, value])) }),
    fc.constantFrom(
      { ...trigger, accessCode: "" },
      { ...trigger, accessCode: "x".repeat(501) },
      { ...trigger, toolName: ["Chat"] },
      { ...trigger, ticket: { toString: () => "T" } },
      { ...trigger, requestId: "x".repeat(101) },
      { ...trigger, userEmail: undefined },
      // A schema that measures this object throws.
      { ...trigger, userEmail: { length: { valueOf: 1, toString: 1 } } },
    ),
  );
  fc.assert(
    fc.property(malformed, (message) => {
      fc.pre(parseMessage(triggerSchema, message) === null);
      send(message);
    }),
    { numRuns: 10_000 },
  );
  await settle();
  expect(redeemed).toEqual([]);
  expect(heard).toHaveLength(1);
});
