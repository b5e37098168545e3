import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type GoogleOutcome, googlePageAddress, openGooglePopup } from "./google-sign-in.ts";

const CHANNEL = "daypass-session";
const popup = {
  closed: false,
  focus: vi.fn(),
  close: vi.fn(() => {
    popup.closed = true;
  }),
};
const open = vi.fn<(url: string) => typeof popup | null>(() => popup);

beforeEach(() => {
  popup.closed = false;
  open.mockClear();
  vi.stubGlobal("window", { open, screenX: 0, screenY: 0, outerWidth: 1280, outerHeight: 800 });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Opens the window. The page has chosen `attemptId`. */
function start() {
  const outcomes: GoogleOutcome[] = [];
  const opened = openGooglePopup((outcome) => outcomes.push(outcome));
  const [url = ""] = open.mock.calls[0] ?? [];
  const query = new URL(url, "https://shop.example").searchParams;
  return { opened, outcomes, url, attemptId: query.get("attempt") ?? "" };
}

/** What the document in the window sends when it has ended. */
function send(message: object): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage({ type: "google-sign-in", ...message });
  channel.close();
}

test("a window of Google that has signed somebody in reports it once, though it is closed afterwards", async () => {
  const { outcomes, attemptId, url } = start();
  expect(url).toMatch(/^\/api\/auth\/google\/start\?mode=popup&attempt=[0-9a-f]{32}$/);
  popup.closed = true;
  vi.advanceTimersByTime(300);
  send({ attemptId, ok: true });
  await vi.waitFor(() => expect(outcomes).toEqual([{ kind: "signed-in" }]));
  vi.advanceTimersByTime(20 * 60_000);
  expect(outcomes).toHaveLength(1);
});

test("a refusal in a window of Google is reported with its message, and the answer to another page is not", async () => {
  const { outcomes, attemptId } = start();
  send({ attemptId: "of another page", ok: true });
  send({ attemptId, ok: false, message: "This account has been disabled. Please contact support." });
  const message = "This account has been disabled. Please contact support.";
  await vi.waitFor(() => expect(outcomes).toEqual([{ kind: "refused", message }]));
});

test("a window of Google that is closed without an answer is reported a moment later", () => {
  const { opened, outcomes } = start();
  vi.advanceTimersByTime(60_000);
  expect(outcomes).toEqual([]);
  opened?.cancel();
  vi.advanceTimersByTime(699);
  expect(outcomes).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(outcomes).toEqual([{ kind: "closed" }]);
});

test("a cancelled window of Google that does not close is reported as closed", () => {
  const { opened, outcomes } = start();
  popup.close.mockImplementationOnce(() => undefined);
  opened?.cancel();
  vi.advanceTimersByTime(700);
  expect(outcomes).toEqual([{ kind: "closed" }]);
});

test("a window of Google without an answer for ten minutes is closed and reported as timed out", () => {
  const { outcomes } = start();
  vi.advanceTimersByTime(10 * 60_000 - 1);
  expect(outcomes).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(outcomes).toEqual([{ kind: "timed-out" }]);
  expect(popup.closed).toBe(true);
});

test("a page that no longer waits for Google hears nothing, and its window stays", () => {
  const { opened, outcomes } = start();
  opened?.abandon();
  vi.advanceTimersByTime(20 * 60_000);
  expect(outcomes).toEqual([]);
  expect(popup.closed).toBe(false);
});

test("a blocked window of Google is told apart, and the address for the page itself names where it returns to", () => {
  open.mockReturnValueOnce(null);
  expect(start().opened).toBeNull();
  expect(googlePageAddress("/shop/canva?from=home")).toBe(
    "/api/auth/google/start?mode=page&returnTo=%2Fshop%2Fcanva%3Ffrom%3Dhome",
  );
});
