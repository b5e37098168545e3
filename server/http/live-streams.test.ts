import { beforeEach, expect, test, vi } from "vitest";
import { createManualUpdates } from "#tests/fixtures/manual-updates.ts";
import { createLiveStreams, type Listener } from "./live.ts";

const HEARTBEAT_MS = 20_000;

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

function open(mostForVisitors = 100) {
  const updates = createManualUpdates();
  const streams = createLiveStreams(updates, { heartbeatMs: HEARTBEAT_MS, mostForVisitors });
  const aborted: string[] = [];
  const listen = (name: string, listener: Partial<Listener> = {}) => {
    const abort = () => void aborted.push(name);
    const body = streams.open({ topics: ["stock"], isAdmin: false, abort, ...listener });
    if (body === null) throw new Error("no stream");
    return body.getReader();
  };
  return { updates, streams, aborted, listen };
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function readText(reader: Reader): Promise<string> {
  const { value } = await reader.read();
  return Buffer.from(value ?? "").toString();
}

test("a stream begins with what it hears and what changed lately, and goes on with changes", async () => {
  vi.spyOn(Math, "random").mockReturnValueOnce(0);
  const { updates, listen } = open();
  updates.recent = { users: 10, stock: 20 };
  const reader = listen("visitor");
  expect(await readText(reader)).toBe(
    'retry: 1000\nevent: hello\ndata: {"topics":["stock"],"recent":{"stock":20},"listening":true}\n\n',
  );
  updates.change("users", "1");
  updates.change("stock", "2");
  expect(await readText(reader)).toBe('event: change\ndata: {"topic":"stock","version":"2"}\n\n');
});

test("a client that does not read keeps one message of each topic, the newest, and no more", async () => {
  const { updates, listen } = open();
  const reader = listen("slow", { topics: ["users", "stock"] });
  for (let n = 1; n <= 1_000; n++) updates.change(n % 2 ? "users" : "stock", String(n));
  await readText(reader);
  expect(await readText(reader)).toBe(
    'event: change\ndata: {"topic":"users","version":"999"}\n\nevent: change\ndata: {"topic":"stock","version":"1000"}\n\n',
  );
});

test("a client that has not read a heartbeat when the next one is due is dropped", async () => {
  const { aborted, listen } = open();
  listen("never reads");
  const reader = listen("reads");
  await readText(reader);
  for (let beat = 0; beat < 3; beat++) {
    vi.advanceTimersByTime(HEARTBEAT_MS);
    expect(await readText(reader)).toBe("event: heartbeat\ndata: {}\n\n");
  }
  expect(new Set(aborted)).toEqual(new Set(["never reads"]));
});

test("a stream whose listener is no longer allowed ends at the next heartbeat", async () => {
  const { streams, listen } = open();
  let isAllowed = true;
  const reader = listen("admin", { isStillAllowed: async () => isAllowed });
  await readText(reader);
  await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
  expect(await readText(reader)).toContain("heartbeat");
  expect(streams.count()).toBe(1);
  isAllowed = false;
  await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
  await readText(reader);
  expect((await reader.read()).done).toBe(true);
  expect(streams.count()).toBe(0);
});

test("a stream stays open while nobody can tell whether its listener is allowed", async () => {
  const { streams, listen } = open();
  listen("admin", { isStillAllowed: () => Promise.reject(new Error("no database")) });
  await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
  expect(streams.count()).toBe(1);
});

test("a stream says when changes are not heard, and when they are again", async () => {
  const { updates, listen } = open();
  const reader = listen("visitor");
  await readText(reader);
  updates.pause();
  expect(await readText(reader)).toBe("event: paused\ndata: {}\n\n");
  const late = listen("late");
  expect(await readText(late)).toContain('"listening":false');
  updates.resume();
  expect(await readText(reader)).toBe("event: resumed\ndata: {}\n\n");
});

test("visitors cannot use up the streams that are reserved for admins, and one that leaves makes room", async () => {
  const { streams, listen } = open(2);
  const first = listen("one");
  listen("two");
  const visitor = { topics: ["stock"] as const, isAdmin: false, abort() {} };
  expect(streams.open(visitor)).toBe(null);
  listen("admin", { isAdmin: true });
  listen("another admin", { isAdmin: true });
  expect(streams.count()).toBe(4);
  expect(streams.open(visitor)).toBe(null);
  await first.cancel();
  expect(streams.open(visitor)).not.toBe(null);
  expect(streams.open(visitor)).toBe(null);
});

test("a stop closes every stream, opens no more, and leaves no timer or subscription", () => {
  const { updates, streams, aborted, listen } = open();
  listen("one");
  listen("two");
  streams.stop();
  expect(aborted).toEqual(["one", "two"]);
  expect(streams.open({ topics: ["stock"], isAdmin: true, abort() {} })).toBe(null);
  expect(vi.getTimerCount()).toBe(0);
  expect(updates.subscribers()).toBe(0);
});

function openWithSessions() {
  const updates = createManualUpdates();
  const running = new Set<string>();
  const asked: string[][] = [];
  const streams = createLiveStreams(updates, {
    heartbeatMs: HEARTBEAT_MS,
    async findRunningSessions(ids) {
      asked.push([...ids]);
      return ids.filter((id) => running.has(id));
    },
  });
  const listen = (sessionId?: string) => {
    if (sessionId !== undefined) running.add(sessionId);
    const topics = ["stock", "sessions"] as const;
    const body = streams.open({ topics, isAdmin: false, abort() {}, ...(sessionId && { sessionId }) });
    if (body === null) throw new Error("no stream");
    return body.getReader();
  };
  return { updates, running, asked, streams, listen };
}

const ENDED = 'event: change\ndata: {"topic":"sessions","version":"0"}\n\n';

test("a stream hears that its own session has ended, and ends; the others hear nothing of it", async () => {
  const { updates, running, asked, streams, listen } = openWithSessions();
  const [ended, other, visitor] = [listen("a"), listen("b"), listen()];
  for (const reader of [ended, other, visitor]) await readText(reader);
  running.delete("a");
  updates.change("sessions", "7");
  // The answer of a sign-in in this browser arrives before.
  await vi.advanceTimersByTimeAsync(1_999);
  expect(streams.count()).toBe(3);
  await vi.advanceTimersByTimeAsync(1);
  expect(await readText(ended)).toBe(ENDED);
  expect((await ended.read()).done).toBe(true);
  expect(asked).toEqual([["a", "b"]]);
  expect(streams.count()).toBe(2);
  updates.change("stock", "8");
  for (const reader of [other, visitor]) expect(await readText(reader)).toContain('"topic":"stock"');
});

test("many ended sessions at once cost one query and one more, and none without a signed-in stream", async () => {
  const { updates, asked, listen } = openWithSessions();
  listen();
  updates.change("sessions", "1");
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toEqual([]);
  listen("a");
  for (let n = 2; n < 100; n++) updates.change("sessions", String(n));
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toEqual([["a"], ["a"]]);
});

test("a session whose end was not heard is noticed when changes are heard again, and at a heartbeat", async () => {
  const { updates, running, listen } = openWithSessions();
  const [first, second] = [listen("a"), listen("b")];
  for (const reader of [first, second]) await readText(reader);
  updates.pause();
  running.delete("a");
  updates.resume();
  expect(await readText(first)).toContain("paused");
  await vi.advanceTimersByTimeAsync(1);
  running.delete("b");
  await vi.advanceTimersByTimeAsync(HEARTBEAT_MS + 2_000);
  let text = "";
  for (let next = await second.read(); !next.done; next = await second.read())
    text += Buffer.from(next.value).toString();
  expect(text).toContain(ENDED);
});

test("the sessions of others that ended lately are no reason to load a page again", async () => {
  const { updates, listen } = openWithSessions();
  updates.recent = { sessions: 10, stock: 20 };
  expect(await readText(listen("a"))).toContain('"recent":{"stock":20}');
});
