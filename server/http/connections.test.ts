import { expect, test, vi } from "vitest";
import { requestText } from "#tests/abuse/raw-connection.ts";
import { PAGE, SOON, serve, until } from "#tests/fixtures/limited-server.ts";

const IDENTITY = { "accept-encoding": "identity" };

test("requests of one connection are answered one after the other, in their order", async () => {
  const { open, handled, held } = await serve({ waitingPerConnection: 4 });
  const client = await open();
  client.send(requestText({ path: "/held" }).repeat(5));
  for (let answered = 0; answered < 5; answered++) {
    await until(() => held.length > answered);
    expect(handled).toHaveLength(answered + 1);
    held[answered]?.();
  }
  await until(() => client.received().statuses.length === 5);
  expect(client.received().statuses).toEqual([200, 200, 200, 200, 200]);
});

test("a connection with too many waiting requests gets one answer and a refusal, and is closed", async () => {
  const { open, refused, handled, held } = await serve({ waitingPerConnection: 4 });
  const client = await open();
  client.send(requestText({ path: "/held" }).repeat(1_000));
  await until(() => held.length > 0);
  held[0]?.();
  await client.closed(SOON);
  const { statuses, text } = client.received();
  expect(statuses).toEqual([200, 503]);
  expect(text).toMatch(/retry-after: \d+/i);
  expect(handled).toEqual(["/held"]);
  expect(refused).toEqual(["too many requests on one connection"]);
});

test("a request is not handled while the client does not read the previous answer", async () => {
  const { open, handled } = await serve({ waitingPerConnection: 400 });
  const client = await open();
  client.stopReading();
  client.send(requestText({ path: "/page", headers: IDENTITY }).repeat(300));
  await until(() => handled.length > 0);
  const other = await open();
  other.send(requestText({ path: "/page" }));
  await other.receivedBytes(1, SOON);
  // The buffers of the system hold a few answers, which is what it was able to send.
  expect(handled.length).toBeLessThan(50);
});

test("a connection whose client reads nothing is closed after the idle time", async () => {
  const { server, open } = await serve({ idleConnectionMs: 300 });
  const closed = new Promise((resolve) => server.on("connection", (socket) => socket.once("close", resolve)));
  const client = await open();
  client.stopReading();
  client.send(requestText({ path: "/page", headers: IDENTITY }).repeat(16));
  await closed;
});

test("a connection whose client reads too slowly is closed although it is never idle", async () => {
  const { server, open, finished } = await serve({ slowReaderMs: 600 });
  const closed = new Promise((resolve) => server.on("connection", (socket) => socket.once("close", resolve)));
  const client = await open();
  client.readSlowly(100);
  client.send(requestText({ path: "/page", headers: IDENTITY }).repeat(16));
  await closed;
  expect(finished.at(-1)?.status).toBe(499);
});

test("a connection gets stored pages and others in the order of its requests, and no second one before it reads the first", async () => {
  const { open, held, finished } = await serve();
  const client = await open();
  const stored = requestText({ path: "/stored", headers: IDENTITY });
  client.send(requestText({ path: "/held" }) + stored + requestText({ path: "/page", headers: IDENTITY }));
  await until(() => held.length === 1);
  expect(client.received().statuses).toEqual([]);
  held[0]?.();
  await until(() => finished.length === 3);
  expect(finished.map(({ path }) => path)).toEqual(["/held", "/stored", "/page"]);

  const slow = await open();
  slow.stopReading();
  slow.send(stored.repeat(300));
  const other = await open();
  other.send(stored);
  await other.receivedBytes(PAGE.length, SOON);
  // The buffers of the system hold a few answers.
  expect(finished.length).toBeLessThan(50);
});

test("one address cannot use all requests in flight or all connections", async () => {
  const { ask, open, held } = await serve({ requestsInFlightPerAddress: 2, connectionsPerAddress: 5 });
  const waiting = [1, 2].map(() => ask("/held"));
  await until(() => held.length === 2);
  expect((await ask("/page")).status).toBe(503);
  for (const release of held) release();
  await Promise.all(waiting);
  expect((await ask("/page")).status).toBe(200);
  const clients = await Promise.all([1, 2, 3, 4, 5, 6, 7].map(() => open()));
  await until(() => clients.some((client) => client.isClosed));
  for (const client of clients) client.reset();
  await vi.waitFor(async () => expect((await ask("/page")).status).toBe(200), {
    timeout: SOON,
    interval: 50,
  });
});

test("a connection is closed when its headers are not finished in time", async () => {
  const { open } = await serve({ requestWithinMs: 300, headersWithinMs: 200, checkConnectionsEveryMs: 50 });
  const client = await open();
  client.send("GET /page HTTP/1.1\r\nhost: x\r\nx-slow:");
  await client.closed(SOON);
});

const HALF_SENT = "GET /page HTTP/1.1\r\nhost: localhost\r\nx-slow:";
const HALF_BODY = `${requestText({ method: "POST", path: "/body", headers: { "content-length": "9" } })}x`;

test("half-sent requests from many addresses do not keep a visitor out", async () => {
  const { server, open, refused } = await serve({
    connections: 100,
    connectionsBeforeClosing: 80,
    connectionsPerAddress: 10,
    newcomerGraceMs: 0,
  });
  let accepted = 0;
  server.on("connection", () => void accepted++);
  for (let address = 2; address <= 13; address++) {
    for (let n = 0; n < 10; n++) (await open(`127.0.0.${address}`)).send(n % 2 === 0 ? HALF_SENT : HALF_BODY);
    await until(() => accepted % 11 === 10);
    const visitor = await open();
    visitor.send(requestText({ path: "/body", method: "POST", body: "text" }));
    await until(() => visitor.received().statuses.length === 1);
    expect(visitor.received().statuses).toEqual([200]);
    visitor.reset();
  }
  // 120 were opened, and the visitors' own connections made room too.
  expect(new Set(refused)).toEqual(new Set(["no request while connections are scarce"]));
});

test("the oldest connection that has not sent a whole request is closed first, and then the one that waits longest", async () => {
  const { open, held } = await serve({ connections: 20, connectionsBeforeClosing: 7, newcomerGraceMs: 0 });
  const answered = async () => {
    const client = await open();
    client.send(requestText({ path: "/healthz" }));
    await until(() => client.received().statuses.length === 1);
    return client;
  };
  const busy = await open();
  busy.send(requestText({ path: "/held" }));
  await until(() => held.length === 1);
  const idle = [await answered(), await answered()];
  // It has waited for a shorter time than the second one.
  idle[0]?.send(requestText({ path: "/healthz" }));
  await until(() => idle[0]?.received().statuses.length === 2);
  const unfinished = [await open(), await open(), await open(), await open()];
  for (const [index, client] of unfinished.entries())
    client.send(["", HALF_SENT, HALF_BODY, HALF_SENT][index] ?? "");

  const isClosed = () => [...unfinished, idle[1], idle[0], busy].map((client) => client?.isClosed);
  for (let closed = 1; closed <= 6; closed++) {
    const visitor = await answered();
    await until(() => isClosed().filter(Boolean).length === closed);
    expect(isClosed()).toEqual(Array.from({ length: 7 }, (_, index) => index < closed));
    // It is being answered when the next one comes.
    visitor.send(requestText({ path: "/held" }));
    await until(() => held.length === 1 + closed);
  }
  held[0]?.();
  await until(() => busy.received().statuses.length === 1);
  expect(busy.received().statuses).toEqual([200]);
});

test("a new connection has time for its first request: idle ones are closed before it", async () => {
  const { open } = await serve({ connections: 20, connectionsBeforeClosing: 5, newcomerGraceMs: 60_000 });
  const idle = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const client = await open();
      client.send(requestText({ path: "/healthz" }));
      await until(() => client.received().statuses.length === 1);
      return client;
    }),
  );
  const slow = await open();
  slow.send(HALF_SENT);
  for (let more = 0; more < 4; more++) await open();
  await until(() => idle.every(({ isClosed }) => isClosed));
  expect(slow.isClosed).toBe(false);
  // Nobody is idle any more, so the oldest of the new ones gives way.
  await open();
  await slow.closed(SOON);
});

test("connections that are being answered are not closed for others: one too many is refused", async () => {
  const { open, held, refused } = await serve({ connections: 3, connectionsBeforeClosing: 2 });
  const busy: Awaited<ReturnType<typeof open>>[] = [];
  for (const number of [1, 2, 3]) {
    const client = await open();
    client.send(requestText({ path: "/held" }));
    await until(() => held.length === number);
    busy.push(client);
  }
  await (await open()).closed(SOON);
  expect(refused).toEqual(["too many connections"]);
  for (const release of held) release();
  for (const client of busy) await until(() => client.received().statuses.length === 1);
});

test("the answer to the last request that a connection may make closes it, and says so", async () => {
  const { open, handled } = await serve({ requestsPerConnection: 3 });
  for (const path of ["/page", "/stored", "/healthz"]) {
    const client = await open();
    const request = requestText({ path, headers: IDENTITY });
    for (const answers of [1, 2]) {
      client.send(request);
      const length = path === "/healthz" ? 1 : answers * PAGE.length;
      await client.receivedBytes(length, SOON);
    }
    expect(client.isClosed).toBe(false);
    client.send(request.repeat(2));
    await client.closed(SOON);
    expect(client.received().bytes).toBeGreaterThan(path === "/healthz" ? 3 : 3 * PAGE.length);
  }
  const client = await open();
  client.send(requestText({ path: "/healthz" }).repeat(9));
  await client.closed(SOON);
  const { statuses, text } = client.received();
  expect(statuses).toEqual([200, 200, 200]);
  expect(text.match(/^connection: .*$/gim)).toEqual([
    "Connection: keep-alive",
    "Connection: keep-alive",
    "Connection: close",
  ]);
  expect(handled.filter((path) => path === "/page")).toHaveLength(3);
});
