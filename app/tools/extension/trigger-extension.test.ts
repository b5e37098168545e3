import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { triggerSchema } from "#contracts/page-messages.ts";
import { stubWindow } from "#tests/fixtures/fake-window.ts";
import { type ExtensionOutcome, triggerExtension } from "./trigger-extension.ts";

const request = {
  accessCode: "CGPT-ONE",
  toolName: "ChatGPT Pro",
  userEmail: "a@example.com",
  ticket: null,
};
const response = { type: "EXTENSION_RESPONSE", blocked: false, message: "Opened in a new tab." };
const answered = { kind: "answered", blocked: false, message: "Opened in a new tab.", limit: null };

let outcomes: ExtensionOutcome[];

beforeEach(() => {
  outcomes = [];
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function start(extensionId = "abcdefgh", ticket: string | null = null) {
  return triggerExtension({ ...request, ticket }, extensionId, (outcome) => outcomes.push(outcome));
}

test("a trigger of the extension is posted at once to the page's own origin, with a ticket only when there is one", () => {
  const page = stubWindow();
  start();
  start("abcdefgh", "ticket-1");
  const triggers = page.posted.map(({ message }) => triggerSchema.parse(message));
  const { ticket: _, ...sent } = request;
  expect(triggers[0]).toEqual({ ...sent, type: "TRIGGER_EXTENSION_ACTION", requestId: expect.any(String) });
  expect(triggers[1]).toMatchObject({ ticket: "ticket-1" });
  expect(page.posted.map(({ target }) => target)).toEqual(["https://shop.example", "https://shop.example"]);
});

test.each([
  ["a response", response, answered],
  [
    "a block",
    { ...response, blocked: true, message: "Too many." },
    { ...answered, blocked: true, message: "Too many." },
  ],
  [
    "a block by the limit of browsers",
    { ...response, blocked: true, message: "Maximum installations exceeded", limit: 2 },
    { ...answered, blocked: true, message: "Maximum installations exceeded", limit: 2 },
  ],
  [
    "a block without a message",
    { type: "EXTENSION_RESPONSE", blocked: true },
    { ...answered, blocked: true, message: "Maximum installations exceeded" },
  ],
  [
    "a block whose message is null",
    { type: "EXTENSION_RESPONSE", blocked: true, message: null },
    { ...answered, blocked: true, message: "Maximum installations exceeded" },
  ],
  ["a response whose message is null", { ...response, message: null }, { ...answered, message: "" }],
  [
    "a block with a blank message",
    { ...response, blocked: true, message: " " },
    { ...answered, blocked: true, message: "Maximum installations exceeded" },
  ],
])("a trigger of the extension ends with %s, once", async (_what, message, outcome) => {
  const page = stubWindow();
  start();
  page.receive(message);
  page.receive(message);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(outcomes).toEqual([outcome]);
  expect(page.listeners.size).toBe(0);
});

test("a trigger of the extension accepts the response to itself and not the response to another request", () => {
  const page = stubWindow();
  start();
  page.receive({ ...response, requestId: "another" });
  expect(outcomes).toEqual([]);
  const { requestId } = triggerSchema.parse(page.posted[0]?.message);
  page.receive({ ...response, requestId });
  expect(outcomes).toEqual([answered]);
});

test("a trigger of the extension ignores other windows, other origins and everything that is no response", () => {
  const page = stubWindow();
  start();
  page.receive(response, { source: null });
  page.receive(response, { source: {} });
  page.receive(response, { origin: "https://evil.example" });
  page.receive(page.posted[0]?.message);
  fc.assert(
    fc.property(fc.anything(), (message) => page.receive(message)),
    { numRuns: 500 },
  );
  expect(outcomes).toEqual([]);
});

test("a trigger of the extension ends as missing after ten seconds without a response, and hears nothing after that", async () => {
  const page = stubWindow();
  start();
  await vi.advanceTimersByTimeAsync(9_999);
  expect(outcomes).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  page.receive(response);
  expect(outcomes).toEqual([{ kind: "missing" }]);
});

test("a trigger of the extension reports nothing after it was stopped", async () => {
  const page = stubWindow();
  start()();
  page.receive(response);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(outcomes).toEqual([]);
});

describe("the direct message to the extension", () => {
  const chromeWith = (sendMessage: unknown) => ({ runtime: { sendMessage } });

  test("the direct message to the extension is sent after a second without a response, and its answer counts like a response", async () => {
    const sendMessage = vi.fn((_id: string, _message: object, answer: (data: unknown) => void) =>
      answer(response),
    );
    stubWindow(chromeWith(sendMessage));
    start("abcdefgh", "ticket-1");
    await vi.advanceTimersByTimeAsync(999);
    expect(sendMessage).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    const { accessCode, ...same } = request;
    expect(sendMessage).toHaveBeenCalledExactlyOnceWith(
      "abcdefgh",
      {
        ...same,
        action: "processPasteData",
        clipboardText: accessCode,
        ticket: "ticket-1",
        requestId: expect.any(String),
      },
      expect.any(Function),
    );
    expect(outcomes).toEqual([answered]);
  });

  test("the direct message to the extension is not sent when a response came before", async () => {
    const sendMessage = vi.fn();
    const page = stubWindow(chromeWith(sendMessage));
    start("abcdefgh");
    page.receive(response);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(sendMessage).not.toHaveBeenCalled();
  });

  test.each([
    ["does not exist", undefined],
    ["is no function", chromeWith("text")],
    [
      "throws",
      chromeWith(() => {
        throw new Error("Invalid extension id");
      }),
    ],
    [
      "answers nothing",
      chromeWith((_id: string, _message: object, answer: (data: unknown) => void) => answer(undefined)),
    ],
  ])("a direct message to an extension that %s leaves the page waiting for a response", async (_what, chrome) => {
    const page = stubWindow(chrome);
    start("abcdefgh");
    await vi.advanceTimersByTimeAsync(2_000);
    expect(outcomes).toEqual([]);
    page.receive(response);
    expect(outcomes).toEqual([answered]);
  });
});
