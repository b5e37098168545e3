import { beforeEach, expect, test, vi } from "vitest";
import { openEventStream, type Source } from "./event-stream.ts";
import type { StreamMessage } from "./stream-message.ts";

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

/** Sources that a test feeds by hand. */
function open() {
  const sources: { emit(type: string, data?: unknown): void; isClosed: boolean }[] = [];
  const messages: StreamMessage[] = [];
  const lost = vi.fn();
  const stream = openEventStream({
    connect(): Source {
      const listeners = new Map<string, (event: { data?: unknown }) => void>();
      const source = {
        isClosed: false,
        emit: (type: string, data?: unknown) => listeners.get(type)?.({ data }),
      };
      sources.push(source);
      return {
        addEventListener: (type, listener) => void listeners.set(type, listener),
        close: () => {
          source.isClosed = true;
        },
      };
    },
    onMessage: (message) => messages.push(message),
    onLost: lost,
  });
  return { stream, sources, messages, lost };
}

const HELLO = '{"topics":["stock","future"],"recent":[],"listening":true}';

test("events of the server become messages, and those that the page does not know are ignored", () => {
  const { sources, messages } = open();
  sources[0]?.emit("hello", HELLO);
  sources[0]?.emit("change", '{"topic":"stock","version":"1"}');
  for (const data of ['{"topic":"future"}', "{", "null", undefined]) sources[0]?.emit("change", data);
  sources[0]?.emit("paused", "{}");
  expect(messages).toEqual([
    { kind: "hello", topics: ["stock"], recent: {}, listening: true },
    { kind: "change", topic: "stock" },
    { kind: "paused" },
  ]);
});

test("a stream that fails is replaced after growing times of 30 seconds at most, and soon again once it worked", () => {
  vi.spyOn(Math, "random").mockReturnValue(1);
  const { sources, lost } = open();
  for (const waitMs of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    const attempts = sources.length;
    sources.at(-1)?.emit("error");
    vi.advanceTimersByTime(waitMs - 1);
    expect(sources).toHaveLength(attempts);
    vi.advanceTimersByTime(1);
    expect(sources).toHaveLength(attempts + 1);
  }
  expect(lost).toHaveBeenCalledTimes(7);
  expect(sources.slice(0, -1).every(({ isClosed }) => isClosed)).toBe(true);
  sources.at(-1)?.emit("hello", HELLO);
  sources.at(-1)?.emit("error");
  vi.advanceTimersByTime(1_000);
  expect(sources).toHaveLength(9);
});

test("a stream without a heartbeat for 50 seconds counts as lost", () => {
  const { sources, lost } = open();
  sources[0]?.emit("hello", HELLO);
  for (let beat = 0; beat < 10; beat++) {
    vi.advanceTimersByTime(20_000);
    sources[0]?.emit("heartbeat", "{}");
  }
  expect(lost).not.toHaveBeenCalled();
  vi.advanceTimersByTime(50_000);
  expect(lost).toHaveBeenCalledTimes(1);
});

test("a stream that is opened again says that something may be lost, and the old one is not heard", () => {
  const { stream, sources, messages, lost } = open();
  stream.reopen();
  expect(lost).toHaveBeenCalledTimes(1);
  sources[0]?.emit("change", '{"topic":"stock"}');
  sources[0]?.emit("error");
  expect(messages).toEqual([]);
  expect(sources.map(({ isClosed }) => isClosed)).toEqual([true, false]);
});

test("a closed stream stays closed and leaves no timer", () => {
  const { stream, sources } = open();
  sources[0]?.emit("error");
  stream.close();
  expect(vi.getTimerCount()).toBe(0);
});
