import { beforeEach, expect, test, vi } from "vitest";
import { TOPICS, type Topic, type TopicAges } from "#core/live/topics.ts";
import { createLiveClient, type LiveClient, type LiveStatus } from "./live-client.ts";

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

const hello = (topics: readonly Topic[] = TOPICS, recent: TopicAges = {}, listening = true) => ({
  kind: "hello",
  topics: [...topics],
  recent,
  listening,
});
const change = (topic: Topic) => ({ kind: "change", topic });

/** Subscribes and keeps what the subscription hears. */
function listenTo(client: LiveClient, topics: readonly Topic[]) {
  const heard: { status: LiveStatus | null; changes: number } = { status: null, changes: 0 };
  const leave = client.subscribe(topics, {
    onChange: () => heard.changes++,
    onStatus: (status) => {
      heard.status = status;
    },
  });
  return Object.assign(heard, { leave });
}

/** A stream that the test feeds by hand. */
function makeStream() {
  const listeners = new Map<string, (event: { data?: unknown }) => void>();
  const emit = (type: string, data?: unknown) => listeners.get(type)?.({ data });
  const stream = {
    readyState: 1,
    addEventListener: (type: string, listener: (event: { data?: unknown }) => void) =>
      void listeners.set(type, listener),
    close: () => {
      stream.readyState = 2;
    },
  };
  /** 0: the browser connects again by itself. 2: the server has refused. */
  const fail = (readyState: 0 | 2) => {
    stream.readyState = readyState;
    emit("error");
  };
  const send = ({ kind, ...data }: { kind: string }) => emit(kind, JSON.stringify(data));
  return { stream, emit, send, lose: () => fail(0), refuse: () => fail(2) };
}

function openTab({ pageAge = 0 } = {}) {
  const streams: ReturnType<typeof makeStream>[] = [];
  const openStream = () => {
    const made = makeStream();
    streams.push(made);
    return made.stream;
  };
  const client = createLiveClient({ openStream, pageAge: () => pageAge });
  return { client, streams, openStreams: () => streams.filter(({ stream }) => stream.readyState !== 2) };
}

test("a page opens no stream before somebody listens", () => {
  const { streams } = openTab();
  expect(streams).toHaveLength(0);
});

test("a page is connecting, then live, and hears the changes of its topics only", () => {
  const { streams, client } = openTab();
  const page = listenTo(client, ["users", "audit"]);
  expect(page.status).toBe("connecting");
  streams[0]?.send(hello());
  expect([page.status, page.changes]).toEqual(["live", 0]);
  for (const topic of ["users", "tools", "audit"] as const) streams[0]?.send(change(topic));
  expect(page.changes).toBe(2);
});

test("a change between the load of the page and its stream is caught up, an earlier one is not", () => {
  const { streams, client } = openTab({ pageAge: 20_000 });
  const users = listenTo(client, ["users"]);
  const tools = listenTo(client, ["tools"]);
  const audit = listenTo(client, ["audit"]);
  streams[0]?.send(hello(TOPICS, { users: 19_000, tools: 40_000 }));
  expect([users.changes, tools.changes, audit.changes]).toEqual([1, 0, 0]);
});

test.each([
  ["was loaded longer ago than the server tells of changes", 61_000],
  ["may come from the cache of the browser", Number.POSITIVE_INFINITY],
])("a page that %s is loaded again when its stream opens", (_case, pageAge) => {
  const { streams, client } = openTab({ pageAge });
  const users = listenTo(client, ["users"]);
  streams[0]?.send(hello());
  expect([users.status, users.changes]).toEqual(["live", 1]);
});

test("an interruption shows, and after it every page is loaded again once", () => {
  const { streams, client } = openTab();
  const users = listenTo(client, ["users"]);
  const [stream] = streams;
  stream?.send(hello());
  stream?.lose();
  expect(users.status).toBe("reconnecting");
  stream?.send(hello());
  expect([users.status, users.changes]).toEqual(["live", 1]);
  stream?.send({ kind: "paused" });
  expect(users.status).toBe("reconnecting");
  stream?.send({ kind: "resumed" });
  expect([users.status, users.changes]).toEqual(["live", 2]);
});

test("a stream of a server that hears no changes is not live", () => {
  const { streams, client } = openTab();
  const users = listenTo(client, ["users"]);
  streams[0]?.send(hello(TOPICS, {}, false));
  expect(users.status).toBe("connecting");
});

test("a page is not live while its stream may not hear its topics, and a sign-in opens another stream", () => {
  const { streams, client, openStreams } = openTab();
  listenTo(client, ["stock"]);
  streams[0]?.send(hello(["stock"]));
  const users = listenTo(client, ["users"]);
  expect(streams).toHaveLength(2);
  expect(openStreams()).toEqual([streams[1]]);
  expect(users.status).not.toBe("live");
  streams[1]?.send(hello(["stock"]));
  expect(users.status).toBe("reconnecting");
  streams[1]?.lose();
  streams[1]?.send(hello());
  expect(users.status).toBe("live");
});

test("events of the stream that the page does not know are ignored", () => {
  const { streams, client } = openTab();
  const users = listenTo(client, ["users"]);
  streams[0]?.send(hello());
  for (const data of ['{"topic":"future"}', "{", "null", undefined]) streams[0]?.emit("change", data);
  expect([users.status, users.changes]).toEqual(["live", 0]);
});

test("the browser connects again by itself, and a stream that the server has refused is asked for again", async () => {
  vi.spyOn(Math, "random").mockReturnValue(1);
  const { streams, client } = openTab();
  const users = listenTo(client, ["users"]);
  streams[0]?.send(hello());
  streams[0]?.lose();
  await vi.advanceTimersByTimeAsync(15_000);
  expect(streams).toHaveLength(1);
  streams[0]?.refuse();
  await vi.advanceTimersByTimeAsync(9_999);
  expect(streams).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect([streams.length, users.status]).toEqual([2, "reconnecting"]);
  streams[0]?.send(change("users"));
  expect(users.changes, "the old one is not heard").toBe(0);
  streams[1]?.send(hello());
  expect([users.status, users.changes]).toEqual(["live", 1]);
});

test("a stream without a heartbeat for 50 seconds counts as lost", async () => {
  const { streams, client, openStreams } = openTab();
  const users = listenTo(client, ["users"]);
  streams[0]?.send(hello());
  for (let beat = 0; beat < 10; beat++) {
    await vi.advanceTimersByTimeAsync(20_000);
    streams[0]?.send({ kind: "heartbeat" });
  }
  expect([streams.length, users.status]).toEqual([1, "live"]);
  await vi.advanceTimersByTimeAsync(50_000);
  expect([openStreams(), users.status]).toEqual([[streams[1]], "reconnecting"]);
});

test("a hidden page has no stream, and loads its data again when it is shown", () => {
  const { streams, client, openStreams } = openTab();
  const users = listenTo(client, ["users"]);
  streams[0]?.send(hello());
  client.setHidden(true);
  client.setHidden(true);
  expect([openStreams(), users.status]).toEqual([[], "reconnecting"]);
  expect(vi.getTimerCount()).toBe(0);
  client.setHidden(false);
  expect(openStreams()).toHaveLength(1);
  streams[1]?.send(hello());
  expect([users.status, users.changes]).toEqual(["live", 1]);
});

test("a tab that is opened in the background connects when it is shown", () => {
  const { client, openStreams } = openTab();
  client.setHidden(true);
  listenTo(client, ["users"]);
  expect(openStreams()).toHaveLength(0);
  client.setHidden(false);
  expect(openStreams()).toHaveLength(1);
});

test("a page that comes back from the back/forward cache connects again", () => {
  const { client, openStreams } = openTab();
  listenTo(client, ["users"]);
  client.leave();
  expect(openStreams()).toHaveLength(0);
  client.setHidden(false);
  expect(openStreams()).toHaveLength(1);
});

test("the stream continues between two pages, and ends when nobody listens", async () => {
  const { client, openStreams } = openTab();
  const first = listenTo(client, ["users"]);
  first.leave();
  const second = listenTo(client, ["tools"]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(openStreams()).toHaveLength(1);
  second.leave();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(openStreams()).toHaveLength(0);
  expect(vi.getTimerCount()).toBe(0);
});
