import { beforeEach, expect, test, vi } from "vitest";
import { TOPICS, type Topic, type TopicAges } from "#core/live/topics.ts";
import { createLiveClient, type LiveClient, type LiveStatus } from "./live-client.ts";
import type { StreamMessage } from "./stream-message.ts";
import { createFakeBrowser } from "./testing/fake-browser.ts";

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

const hello = (
  topics: readonly Topic[] = TOPICS,
  recent: TopicAges = {},
  listening = true,
): StreamMessage => ({ kind: "hello", topics: [...topics], recent, listening });
const change = (topic: Topic) => ({ kind: "change", topic }) as const;

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

/** Promises of the lock are settled in microtasks. */
const settle = () => vi.advanceTimersByTimeAsync(0);

function openTab(options: { locks?: boolean; pageAge?: number } = {}) {
  const browser = createFakeBrowser(options);
  const client = createLiveClient(browser.tab());
  return { browser, client };
}

test("nothing is opened before somebody listens", async () => {
  const { browser } = openTab();
  await settle();
  expect(browser.streams).toHaveLength(0);
});

test("a page is connecting, then live, and hears the changes of its topics only", async () => {
  const { browser, client } = openTab();
  const page = listenTo(client, ["users", "audit"]);
  await settle();
  expect(page.status).toBe("connecting");
  browser.streams[0]?.send(hello());
  expect([page.status, page.changes]).toEqual(["live", 0]);
  for (const topic of ["users", "tools", "audit"] as const) browser.streams[0]?.send(change(topic));
  expect(page.changes).toBe(2);
});

test("a change between the load of the page and its stream is caught up, an earlier one is not", async () => {
  const { browser, client } = openTab({ pageAge: 20_000 });
  const users = listenTo(client, ["users"]);
  const tools = listenTo(client, ["tools"]);
  const audit = listenTo(client, ["audit"]);
  await settle();
  browser.streams[0]?.send(hello(TOPICS, { users: 19_000, tools: 40_000 }));
  expect([users.changes, tools.changes, audit.changes]).toEqual([1, 0, 0]);
});

test.each([
  ["was loaded longer ago than the server tells of changes", 61_000],
  ["may come from the cache of the browser", Number.POSITIVE_INFINITY],
])("a page that %s is loaded again when its stream opens", async (_case, pageAge) => {
  const { browser, client } = openTab({ pageAge });
  const users = listenTo(client, ["users"]);
  await settle();
  browser.streams[0]?.send(hello());
  expect([users.status, users.changes]).toEqual(["live", 1]);
});

test("an interruption shows, and after it every page is loaded again once", async () => {
  const { browser, client } = openTab();
  const users = listenTo(client, ["users"]);
  await settle();
  const [stream] = browser.streams;
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

test("a stream of a server that hears no changes is not live", async () => {
  const { browser, client } = openTab();
  const users = listenTo(client, ["users"]);
  await settle();
  browser.streams[0]?.send(hello(TOPICS, {}, false));
  expect(users.status).toBe("connecting");
});

test("a page is not live while its stream may not hear its topics, and a sign-in opens another stream", async () => {
  const { browser, client } = openTab();
  listenTo(client, ["stock"]);
  await settle();
  browser.streams[0]?.send(hello(["stock"]));
  const users = listenTo(client, ["users"]);
  expect(browser.streams[0]?.reopened).toBe(1);
  expect(users.status).not.toBe("live");
  browser.streams[0]?.send(hello(["stock"]));
  expect(users.status).toBe("reconnecting");
  browser.streams[0]?.lose();
  browser.streams[0]?.send(hello());
  expect(users.status).toBe("live");
});

test("all tabs of a browser share one stream", async () => {
  const browser = createFakeBrowser();
  const tabs = [1, 2, 3].map(() => listenTo(createLiveClient(browser.tab()), ["users"]));
  await settle();
  expect(browser.streams).toHaveLength(1);
  browser.streams[0]?.send(hello());
  browser.streams[0]?.send(change("users"));
  expect(tabs.map(({ status, changes }) => [status, changes])).toEqual(tabs.map(() => ["live", 1]));
});

test("a tab that joins later is live at once, and catches up what changed lately", async () => {
  const browser = createFakeBrowser();
  const first = listenTo(createLiveClient(browser.tab()), ["users"]);
  await settle();
  browser.streams[0]?.send(hello());
  browser.streams[0]?.send(change("users"));
  const users = listenTo(createLiveClient(browser.tab()), ["users"]);
  const tools = listenTo(createLiveClient(browser.tab()), ["tools"]);
  expect([users.status, users.changes]).toEqual(["live", 1]);
  expect([tools.status, tools.changes]).toEqual(["live", 0]);
  expect(first.changes, "the answer to another tab").toBe(1);
});

test("when the tab with the stream goes, another takes over and all catch up", async () => {
  const browser = createFakeBrowser();
  const leader = createLiveClient(browser.tab());
  listenTo(leader, ["users"]);
  const others = [1, 2].map(() => listenTo(createLiveClient(browser.tab()), ["users"]));
  await settle();
  browser.streams[0]?.send(hello());
  leader.leave();
  await settle();
  expect(browser.openStreams()).toHaveLength(1);
  expect(others.map(({ status }) => status)).toEqual(["reconnecting", "reconnecting"]);
  browser.openStreams()[0]?.send(hello());
  expect(others.map(({ status, changes }) => [status, changes])).toEqual([
    ["live", 1],
    ["live", 1],
  ]);
});

test("without locks each tab has a stream of its own", async () => {
  const browser = createFakeBrowser({ locks: false });
  const tabs = [1, 2].map(() => listenTo(createLiveClient(browser.tab()), ["users"]));
  await settle();
  expect(browser.streams).toHaveLength(2);
  browser.streams[1]?.send(hello());
  expect(tabs.map(({ status }) => status)).toEqual(["connecting", "live"]);
});

test("a page that is hidden for a minute gives the stream up, and catches up when it is shown", async () => {
  const { browser, client } = openTab();
  const users = listenTo(client, ["users"]);
  await settle();
  browser.streams[0]?.send(hello());
  client.setHidden(true);
  await vi.advanceTimersByTimeAsync(59_000);
  client.setHidden(false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(browser.openStreams(), "hidden for less than a minute").toHaveLength(1);
  client.setHidden(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(browser.openStreams()).toHaveLength(0);
  client.setHidden(false);
  await settle();
  expect(browser.openStreams()).toHaveLength(1);
  expect(users.status).toBe("reconnecting");
  browser.openStreams()[0]?.send(hello());
  expect([users.status, users.changes]).toEqual(["live", 1]);
});

test("a tab that is opened in the background gives the stream up after a minute", async () => {
  const { browser, client } = openTab();
  client.setHidden(true);
  await vi.advanceTimersByTimeAsync(120_000);
  listenTo(client, ["users"]);
  await settle();
  expect(browser.openStreams()).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(browser.openStreams()).toHaveLength(0);
});

test("the stream outlives the moment between two pages, and ends when nobody listens", async () => {
  const { browser, client } = openTab();
  const first = listenTo(client, ["users"]);
  await settle();
  first.leave();
  const second = listenTo(client, ["tools"]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(browser.openStreams()).toHaveLength(1);
  second.leave();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(browser.openStreams()).toHaveLength(0);
  expect(vi.getTimerCount()).toBe(0);
});
