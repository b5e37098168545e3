import fc from "fast-check";
import { expect, test } from "vitest";
import { listenForMessages, type Runtime } from "./listen-for-messages.ts";
import type { RedeemRequest } from "./redeemer.ts";

const ORIGIN = "https://shop.example";
const redeem = { kind: "redeem", accessCode: "CODE", ticket: "T" };
const paste = {
  action: "processPasteData",
  clipboardText: "CODE",
  userEmail: "a@example.com",
  toolName: "Chat",
};

type Listener = Parameters<Runtime["onMessage"]["addListener"]>[0];

/** The background of the extension, whose messages a test sends. */
function openBackground(failure?: Error) {
  const redeemed: RedeemRequest[] = [];
  const listeners = new Map<"internal" | "external", Listener>();
  listenForMessages(
    {
      id: "own-id",
      onMessage: { addListener: (listener) => void listeners.set("internal", listener) },
      onMessageExternal: { addListener: (listener) => void listeners.set("external", listener) },
    },
    {
      redeem: async (request) => {
        redeemed.push(request);
        if (failure) throw failure;
        return { blocked: false, message: "ready" };
      },
    },
    ORIGIN,
  );
  /** Resolves to the answer; null when the listener gives none. */
  const send = (kind: "internal" | "external", message: unknown, sender: object) =>
    new Promise<unknown>((resolve) => {
      if (!listeners.get(kind)?.(message, sender, resolve)) resolve(null);
    });
  return { redeemed, send };
}

const ownPage = { id: "own-id", origin: ORIGIN };

test("a message of the content script is redeemed and answered", async () => {
  const { redeemed, send } = openBackground();
  expect(await send("internal", redeem, ownPage)).toEqual({ blocked: false, message: "ready" });
  const byUrl = { id: "own-id", url: `${ORIGIN}/tools/chat` };
  expect(await send("internal", redeem, byUrl)).toEqual({ blocked: false, message: "ready" });
  expect(redeemed).toEqual([
    { accessCode: "CODE", ticket: "T" },
    { accessCode: "CODE", ticket: "T" },
  ]);
});

test("processPasteData of a page of the shop is redeemed and answered like a trigger", async () => {
  const { redeemed, send } = openBackground();
  expect(await send("external", { ...paste, requestId: "r1" }, { origin: ORIGIN })).toEqual({
    type: "EXTENSION_RESPONSE",
    blocked: false,
    message: "ready",
    requestId: "r1",
  });
  expect(redeemed).toEqual([{ accessCode: "CODE", ticket: undefined }]);
});

test("messages of other extensions, other sites and other ports have no answer", async () => {
  const { redeemed, send } = openBackground();
  for (const sender of [
    { id: "other-id", origin: ORIGIN },
    { id: "own-id", origin: "https://evil.example" },
    { id: "own-id", origin: `${ORIGIN}:8443` },
    { id: "own-id", url: "https://evil.example/?https://shop.example/" },
    { id: "own-id" },
    {},
  ]) {
    expect(await send("internal", redeem, sender)).toBeNull();
  }
  for (const origin of ["https://evil.example", "http://shop.example", "null", undefined]) {
    expect(await send("external", paste, { origin })).toBeNull();
  }
  expect(redeemed).toEqual([]);
});

test("10,000 malformed messages have no answer and crash nothing", async () => {
  const { redeemed, send } = openBackground();
  let answered = 0;
  const value = fc.anything({ withNullPrototype: true, withBigInt: true });
  const malformed = fc.oneof(
    value,
    fc.record({
      kind: fc.constant("redeem"),
      accessCode: fc.oneof(fc.integer(), fc.constant(""), fc.object()),
    }),
    fc.record({ action: fc.constant("processPasteData"), clipboardText: value }),
  );
  await fc.assert(
    fc.asyncProperty(malformed, fc.constantFrom("internal", "external"), async (message, kind) => {
      if ((await send(kind, message, ownPage)) !== null) answered++;
    }),
    { numRuns: 10_000 },
  );
  expect(answered).toBe(0);
  expect(redeemed).toEqual([]);
});

test("a failure is answered as a block, so that the page does not wait", async () => {
  const { send } = openBackground(new Error("storage is full"));
  expect(await send("internal", redeem, ownPage)).toEqual({
    blocked: true,
    message: "The extension failed. Please try again.",
  });
});
