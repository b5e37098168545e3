import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import type { Context } from "#core/context.ts";
import { DatabaseUnavailableError } from "#db/database-unavailable.ts";
import { sessions, users } from "#db/tables/accounts.ts";
import { disconnectAtEveryPoint, sendMalformed } from "#tests/abuse/attacks.ts";
import { malformedRequests } from "#tests/abuse/malformed-requests.ts";
import { RawConnection, requestText } from "#tests/abuse/raw-connection.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { createManualUpdates } from "#tests/fixtures/manual-updates.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { serveApp } from "#tests/fixtures/serve-app.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import { HTTP_LIMITS, type HttpLimits } from "./http-limits.ts";
import { closeGracefully } from "./http-server.ts";
import { createLiveStreams } from "./live.ts";
import type { FinishedRequest } from "./request-listener.ts";

const SOON = { timeout: 20_000, interval: 10 };

let shop: ReturnType<typeof openTestShop>;
beforeAll(async () => {
  shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
});
afterAll(() => shop.close());

interface ServeOptions {
  limits?: Partial<HttpLimits>;
  heartbeatMs?: number;
  mostForVisitors?: number;
}

/** A shop whose requests come from the actor that their header names. Heartbeats come when a test makes them. */
async function serve(options: ServeOptions = {}) {
  const updates = createManualUpdates();
  const { heartbeatMs = 3_600_000, mostForVisitors = 1_400 } = options;
  const streams = createLiveStreams(updates, { heartbeatMs, mostForVisitors });
  const contexts = new Map<string, Context>([["visitor", shop.visitor()]]);
  const finished: FinishedRequest[] = [];
  const { server, port, close } = await serveApp(
    shop,
    {
      contextFor: async (request) => {
        const ctx = contexts.get(request.headers.get("x-actor") ?? "visitor");
        if (ctx === undefined) throw new Error("unknown actor");
        return { ctx, setCookies: ["renewed=1; Path=/"] };
      },
      render: async () => new Response("a page"),
      liveStreams: streams,
    },
    {
      observe: (request) => void finished.push(request),
      limits: { ...HTTP_LIMITS, ...options.limits },
    },
  );
  const stop = () => {
    streams.stop();
    return closeGracefully(server);
  };
  onTestFinished(async () => {
    streams.stop();
    await close();
  });
  const openRaw = async (actor = "visitor", headers: Record<string, string> = {}) => {
    const client = await RawConnection.open({ port });
    client.send(requestText({ path: "/live", headers: { "x-actor": actor, ...headers } }));
    return client;
  };
  const listen = async (actor = "visitor") => {
    const client = await openRaw(actor);
    await vi.waitFor(() => expect(client.received().text).toContain("event: hello"), SOON);
    return client;
  };
  const ask = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}${path}`, init);
  return { updates, streams, contexts, finished, server, port, stop, openRaw, listen, ask };
}

/** An admin whose session is in the database. */
async function signedInAdmin(): Promise<{ ctx: Context; userId: string; sessionId: string }> {
  const ctx = await shop.user("admin");
  const { actor } = ctx;
  if (actor.kind !== "admin") throw new Error("not an admin");
  const { userId, sessionId } = actor;
  const expiresAt = new Date(shop.clock.now().getTime() + 86_400_000);
  await shop.db.insert(sessions).values({ id: sessionId, userId, token: sessionId, expiresAt });
  return { ctx, userId, sessionId };
}

const topicsOf = (client: RawConnection) =>
  [...client.received().text.matchAll(/"topic":"([a-z-]+)"/g)].map(([, topic]) => topic);

test("the stream is an uncompressed event stream that no cache or proxy keeps, with renewed cookies", async () => {
  const { openRaw } = await serve();
  const client = await openRaw("visitor", { "accept-encoding": "br, gzip", accept: "text/event-stream" });
  await vi.waitFor(() => expect(client.received().text).toContain("event: hello"), SOON);
  const { text, statuses } = client.received();
  expect(statuses).toEqual([200]);
  for (const header of [
    /^content-type: text\/event-stream; charset=utf-8\r$/im,
    /^cache-control: no-store\r$/im,
    /^x-accel-buffering: no\r$/im,
    /^set-cookie: renewed=1; Path=\/\r$/im,
    /^content-security-policy: /im,
  ])
    expect(text).toMatch(header);
  expect(text).not.toMatch(/content-encoding/i);
});

test("visitors and buyers hear of no topic of the admin, an admin of everything", async () => {
  const { updates, contexts, listen } = await serve();
  contexts.set("buyer", await shop.user());
  contexts.set("admin", (await signedInAdmin()).ctx);
  const [visitor, buyer, admin] = [await listen("visitor"), await listen("buyer"), await listen("admin")];
  for (const topic of ["users", "purchases", "credentials", "audit", "stock"] as const)
    updates.change(topic, "7");
  await vi.waitFor(() => {
    for (const client of [visitor, buyer, admin]) expect(topicsOf(client)).toContain("stock");
  }, SOON);
  expect(topicsOf(visitor)).toEqual(["stock"]);
  expect(topicsOf(buyer)).toEqual(["stock"]);
  expect(topicsOf(admin)).toEqual(["users", "purchases", "credentials", "audit", "stock"]);
});

test.each([
  [
    "whose session ends",
    ({ sessionId }: { sessionId: string; userId: string }) =>
      shop.db.delete(sessions).where(eq(sessions.id, sessionId)),
  ],
  [
    "whose session expires",
    ({ sessionId }: { sessionId: string; userId: string }) =>
      shop.db.update(sessions).set({ expiresAt: shop.clock.now() }).where(eq(sessions.id, sessionId)),
  ],
  [
    "who is deactivated",
    ({ userId }: { sessionId: string; userId: string }) =>
      shop.db.update(users).set({ isActive: false }).where(eq(users.id, userId)),
  ],
  [
    "who is no admin any more",
    ({ userId }: { sessionId: string; userId: string }) =>
      shop.db.update(users).set({ role: "user" }).where(eq(users.id, userId)),
  ],
  [
    "who is deleted",
    ({ userId }: { sessionId: string; userId: string }) =>
      shop.db.update(users).set({ deletedAt: new Date() }).where(eq(users.id, userId)),
  ],
])("an admin %s loses the stream at the next heartbeat, and others keep theirs", async (_, change) => {
  const { contexts, streams, listen } = await serve({ heartbeatMs: 50 });
  const leaving = await signedInAdmin();
  contexts.set("leaving", leaving.ctx);
  contexts.set("staying", (await signedInAdmin()).ctx);
  const [left, staying, visitor] = [await listen("leaving"), await listen("staying"), await listen()];
  const beats = (client: RawConnection) => client.received().text.split("event: heartbeat").length - 1;
  await vi.waitFor(() => expect(beats(left)).toBeGreaterThan(2), SOON);
  await change(leaving);
  await vi.waitFor(() => expect(left.received().text).toMatch(/\r\n0\r\n\r\n$/), SOON);
  expect(streams.count()).toBe(2);
  const before = beats(staying);
  await vi.waitFor(() => expect(beats(staying)).toBeGreaterThan(before), SOON);
  expect(visitor.isClosed).toBe(false);
});

test("streams beyond the limit of an address or of all are refused, and a stream that ends makes room", async () => {
  for (const limits of [{ liveStreamsPerAddress: 2 }, { liveStreams: 2 }]) {
    const { listen, ask, streams } = await serve({ limits });
    const [first] = [await listen(), await listen()];
    const refused = await ask("/live");
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("2");
    first.reset();
    await vi.waitFor(() => expect(streams.count()).toBe(1), SOON);
    await listen();
  }
});

test("an admin gets a stream when visitors and buyers have all of theirs", async () => {
  const { contexts, listen, ask } = await serve({ mostForVisitors: 2 });
  contexts.set("buyer", await shop.user());
  contexts.set("admin", (await signedInAdmin()).ctx);
  await listen("visitor");
  await listen("buyer");
  const refused = await ask("/live");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
  await listen("admin");
});

test("open streams use up neither the requests in flight nor the turns of pages", async () => {
  const { listen, ask } = await serve({ limits: { requestsInFlight: 2, requestsInFlightPerAddress: 2 } });
  for (let n = 0; n < 20; n++) await listen();
  expect(await (await ask("/")).text()).toBe("a page");
});

test("two hundred clients that leave in the middle of their streams leave nothing behind", async () => {
  const { updates, streams, finished, openRaw, listen, server } = await serve({
    limits: { liveStreamsPerAddress: 500 },
  });
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const stays = await listen();
  const timersBefore = timers();
  const clients = await Promise.all(Array.from({ length: 200 }, () => openRaw()));
  for (const [index, client] of clients.entries()) {
    // Some before their answer, the others within it.
    if (index % 2) await client.receivedBytes(1, 20_000);
    client.reset();
    updates.change("stock", String(index));
  }
  await vi.waitFor(() => expect(finished).toHaveLength(200), SOON);
  await vi.waitFor(() => expect(streams.count()).toBe(1), SOON);
  const connections = await new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
  expect(connections).toBe(1);
  expect(updates.subscribers()).toBe(1);
  expect(timers()).toBeLessThanOrEqual(timersBefore);
  updates.change("stock", "1000");
  await vi.waitFor(() => expect(stays.received().text).toContain('"version":"1000"'), SOON);
  // Leaving is the normal end of a stream, and not of a request without an answer.
  const answered = finished.filter(({ status }) => status === 200);
  expect(answered.length).toBeGreaterThanOrEqual(100);
});

test("a client that never reads delays no other while a thousand changes come", async () => {
  const { updates, streams, openRaw, listen } = await serve();
  const stuck = await openRaw();
  stuck.stopReading();
  const reader = await listen();
  for (let n = 1; n <= 1_000; n++) {
    updates.change("stock", String(n));
    if (n % 100 === 0) await new Promise(setImmediate);
  }
  await vi.waitFor(() => expect(reader.received().text).toContain('"version":"1000"'), SOON);
  await vi.waitFor(() => expect(streams.count()).toBe(2), SOON);
  stuck.reset();
  await vi.waitFor(() => expect(streams.count()).toBe(1), SOON);
});

test("a shutdown ends all streams and does not wait for their clients", async () => {
  const { streams, stop, listen, openRaw, ask } = await serve();
  const clients = [await listen(), await listen()];
  const stuck = await openRaw();
  stuck.stopReading();
  await vi.waitFor(() => expect(streams.count()).toBe(3), SOON);
  // The timer that would cut off the connections does not run.
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  await stop();
  vi.useRealTimers();
  for (const client of clients) await client.closed(20_000);
  expect(streams.count()).toBe(0);
  await expect(ask("/live")).rejects.toThrow();
});

test("a request that comes while the shop stops is refused for the moment", async () => {
  const { streams, ask } = await serve();
  streams.stop();
  const refused = await ask("/live");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
});

test.each([
  "POST",
  "HEAD",
  "PUT",
  "DELETE",
])("the method %s of the stream is refused, because nothing can be sent there", async (method) => {
  const { ask, streams } = await serve();
  const headers = { origin: "https://shop.example" };
  const refused = await ask("/live", { method, headers });
  expect(refused.status).toBe(405);
  expect(streams.count()).toBe(0);
});

test("the stream is refused for the moment without a database that knows the actor", async () => {
  const { contexts, ask } = await serve();
  const unknown = Object.defineProperty({ ...shop.visitor() }, "actor", {
    get() {
      throw new DatabaseUnavailableError("gone");
    },
  });
  contexts.set("unknown", unknown);
  const refused = await ask("/live", { headers: { "x-actor": "unknown" } });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
});

test("three hundred headers and a query change nothing", async () => {
  const { port, streams } = await serve();
  const client = await RawConnection.open({ port });
  const headers = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`x-${n}`, "1"]));
  client.send(requestText({ path: "/live?topics=users&x=%00", headers }));
  await vi.waitFor(() => expect(client.received().text).toContain('"topics":["stock","giveaway"]'), SOON);
  client.finishSending();
  await vi.waitFor(() => expect(streams.count()).toBe(0), SOON);
});

test("clients that leave at any point and malformed requests cause no fault and leave no stream", async () => {
  const { port, streams, listen } = await serve();
  const endpoint = { name: "live updates", path: "/live" };
  await disconnectAtEveryPoint({ port }, [endpoint]);
  const outcomes = await sendMalformed({ port }, malformedRequests([endpoint], 300, 1));
  expect(outcomes.filter(({ statuses }) => statuses.some((status) => status >= 500))).toEqual([]);
  await vi.waitFor(() => expect(streams.count()).toBe(0), SOON);
  await listen();
});
