import type { Socket } from "node:net";
import { expect, test, vi } from "vitest";
import { requestText } from "../../tools/abuse/raw-connection.ts";
import { HTTP_LIMITS } from "./admission/http-limits.ts";
import { PAGE, SOON, serve, until } from "./testing/limited-server.ts";

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

test("requests beyond the limit in flight are refused while health checks are still answered", async () => {
  const { ask, held } = await serve({ requestsInFlight: 3 });
  const waiting = [1, 2, 3].map(() => ask("/held"));
  await until(() => held.length === 3);
  const refused = await ask("/page", { headers: { accept: "text/html" } });
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("2");
  expect(await refused.text()).toContain("The shop is busy.");
  expect((await ask("/healthz")).status).toBe(200);
  for (const release of held) release();
  for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200);
  expect((await ask("/page")).status).toBe(200);
});

test("a stored page is sent while no more requests are allowed in flight, and is logged for debugging only", async () => {
  const { ask, held, finished, lines } = await serve({ requestsInFlight: 1 });
  const waiting = ask("/held");
  await until(() => held.length === 1);
  const stored = await ask("/stored");
  expect(stored.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  expect(await stored.text()).toBe(PAGE);
  await until(() => finished.length === 1);
  expect(finished).toMatchObject([{ method: "GET", path: "/stored", status: 200 }]);
  const facts = { path: "/stored", address: "203.0.113.7", requestId: stored.headers.get("x-request-id") };
  expect(lines).toMatchObject([{ level: "debug", facts, message: "request" }]);
  held[0]?.();
  expect((await waiting).status).toBe(200);
});

test("a request with a body gets no stored page at once, because the body has limits", async () => {
  const { open, handled, refused } = await serve();
  const client = await open();
  const withBody = (length: number) =>
    requestText({ path: "/stored", headers: { "content-length": `${length}` } });
  client.send(`${withBody(4)}body`);
  await until(() => handled.length === 1);
  expect(handled).toEqual(["/stored"]);
  const large = await open();
  large.send(withBody(HTTP_LIMITS.bodyBytes + 1));
  await until(() => refused.length === 1);
  expect(large.received().statuses).toEqual([413]);
  expect(handled).toHaveLength(1);
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

test("a client that leaves before it has read a stored page is logged as such", async () => {
  const { server, open, finished, lines } = await serve();
  const sockets: Socket[] = [];
  server.on("connection", (socket) => void sockets.push(socket));
  const client = await open();
  client.stopReading();
  client.send(requestText({ path: "/stored" }).repeat(16));
  await until(() => sockets[0]?.writableLength);
  client.reset();
  await until(() => finished.some(({ status }) => status === 499));
  expect(lines.filter(({ level }) => level === "info")).toMatchObject([
    { facts: { path: "/stored", status: 499 } },
  ]);
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

test("one address cannot use the whole limit for bodies, and webhooks have a limit of their own", async () => {
  const { open, ask, refused } = await serve({
    bodyBytesInFlightPerAddress: 1_500,
    webhookBytesInFlight: 1_000,
  });
  const greedy = await open();
  greedy.send(
    requestText({ method: "POST", path: "/body", headers: { "content-length": "3000" } }) + "x".repeat(1_400),
  );
  const post = (path: string) =>
    ask(path, { method: "POST", body: "x".repeat(900), headers: { "x-razorpay-signature": "0".repeat(64) } });
  await vi.waitFor(async () => expect((await post("/body")).status).toBe(503), {
    timeout: SOON,
    interval: 50,
  });
  expect(refused).toContain("too many bodies are being received");
  expect((await post("/webhooks/razorpay")).status).toBe(404);
});

test("health checks have a limit for each address and never reach a handler", async () => {
  const { ask, handled } = await serve({ healthChecksInFlightPerAddress: 2 });
  expect(await (await ask("/healthz")).json()).toEqual({ ok: true });
  expect((await ask("/x/../healthz")).status).toBe(200);
  expect(handled).toEqual([]);
});

test("requests whose bodies are incomplete do not count as in flight", async () => {
  const { ask, open } = await serve({ requestsInFlight: 2 });
  for (const _ of [1, 2, 3]) {
    const client = await open();
    client.send(`${requestText({ method: "POST", path: "/body", headers: { "content-length": "9" } })}x`);
  }
  expect((await ask("/page")).status).toBe(200);
});

test("a request stops counting as in flight when its client leaves", async () => {
  const { open, ask, held, finished } = await serve({ requestsInFlight: 2 });
  for (const _ of [1, 2]) {
    const client = await open();
    client.send(requestText({ path: "/held" }));
    await until(() => held.length > 0);
    held.length = 0;
    client.reset();
  }
  await until(() => finished.length === 2);
  expect(finished.map(({ status }) => status)).toEqual([499, 499]);
  expect((await ask("/page")).status).toBe(200);
});

test("a body longer than the limit is refused before any handler runs", async () => {
  const { ask, open, handled } = await serve({ bodyBytes: 1_000 });
  expect(await (await ask("/body", { method: "POST", body: "x".repeat(1_000) })).text()).toBe("1000");
  handled.length = 0;
  expect((await ask("/body", { method: "POST", body: "x".repeat(1_001) })).status).toBe(413);
  const chunked = await open();
  chunked.send(requestText({ method: "POST", path: "/body", headers: { "transfer-encoding": "chunked" } }));
  for (let part = 0; part < 3; part++) chunked.send(`200\r\n${"x".repeat(0x200)}\r\n`);
  await chunked.closed(SOON);
  expect(chunked.received().statuses).toEqual([413]);
  expect(handled).toEqual([]);
});

test("bodies received at the same time share a limit, which is free again afterwards", async () => {
  const { open, ask, refused } = await serve({ bodyBytes: 1_000, bodyBytesInFlight: 1_500 });
  const first = await open();
  const headers = { "content-length": "1000" };
  first.send(requestText({ method: "POST", path: "/body", headers }) + "x".repeat(900));
  const post = () => ask("/body", { method: "POST", body: "x".repeat(1_000) });
  await vi.waitFor(async () => expect((await post()).status).toBe(503), { timeout: SOON, interval: 50 });
  expect(refused).toContain("too many bodies are being received");
  first.reset();
  await vi.waitFor(async () => expect((await post()).status).toBe(200), { timeout: SOON, interval: 50 });
});

test("a body that is not finished in time ends with 408, and an aborted body is not logged as a fault", async () => {
  const { open, lines, finished } = await serve({
    requestWithinMs: 300,
    headersWithinMs: 200,
    checkConnectionsEveryMs: 50,
  });
  const begin = requestText({ method: "POST", path: "/body", headers: { "content-length": "100" } });
  const slow = await open();
  slow.send(`${begin}abc`);
  await slow.closed(SOON);
  expect(slow.received().statuses).toEqual([408]);
  const leaving = await open();
  leaving.send(`${begin}abc`);
  leaving.reset();
  await until(() => finished.length >= 1);
  expect(lines.filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
});

test("a connection is closed when its headers are not finished in time", async () => {
  const { open } = await serve({ requestWithinMs: 300, headersWithinMs: 200, checkConnectionsEveryMs: 50 });
  const client = await open();
  client.send("GET /page HTTP/1.1\r\nhost: x\r\nx-slow:");
  await client.closed(SOON);
});

test.each([
  ["br", "br"],
  ["gzip", "gzip"],
  ["gzip, deflate, br;q=1.0", "br"],
  ["gzip, deflate, br, zstd", "zstd"],
  ["br;q=0, gzip", "gzip"],
  ["*", "br"],
  ["identity", null],
  ["deflate", null],
])("a client that accepts %s gets the whole page encoded as %s", async (accepted, encoding) => {
  const { ask } = await serve();
  const answer = await ask("/page", { headers: { "accept-encoding": accepted } });
  expect(answer.headers.get("content-encoding")).toBe(encoding);
  expect(answer.headers.get("vary")).toBe("Accept-Encoding");
  expect(await answer.text()).toBe(PAGE);
});

test("a client that leaves while its page is compressed or sent ends only its own request", async () => {
  const { open, ask, finished, lines } = await serve();
  for (const encoding of ["gzip", "br", "identity"]) {
    for (let n = 0; n < 40; n++) {
      const client = await open();
      client.send(requestText({ path: "/page", headers: { "accept-encoding": encoding } }));
      if (n % 2 === 0) await client.receivedBytes(n * 1_000 + 1, SOON);
      client.reset();
    }
  }
  await until(() => finished.length >= 60);
  expect(await (await ask("/page")).text()).toBe(PAGE);
  expect(lines.filter(({ level }) => level === "error")).toEqual([]);
});

test("an error in a handler is logged once and answered with 500", async () => {
  const { ask, lines } = await serve();
  expect((await ask("/broken-stream")).status).toBe(500);
  const faults = lines.filter(({ level, message }) => level === "error" && message !== "request");
  expect(faults).toMatchObject([{ message: "request failed" }]);
  expect((await ask("/page")).status).toBe(200);
});

test.each([
  "OPTIONS",
  "TRACE",
  "PUT",
  "DELETE",
  "PROPFIND",
])("the method %s is refused with 405 and never handled", async (method) => {
  const { open, handled } = await serve();
  const client = await open();
  client.send(requestText({ method, path: "/page" }));
  await client.closed(SOON);
  expect(client.received().statuses).toEqual([405]);
  expect(client.received().text).toContain("allow: GET, HEAD, POST");
  expect(handled).toEqual([]);
});

test.each([
  "http://name:password@shop.example.com/page",
  "http://name@shop.example.com/page",
  "http://:password@shop.example.com/healthz",
  "*",
  "http://shop.example.com:99999/page",
  "ftp://shop.example.com/page",
])("the target %s is refused with 400 and a sentence, and never handled", async (path) => {
  const { open, handled, lines } = await serve();
  const client = await open();
  client.send(requestText({ path, headers: { connection: "close" } }));
  await client.closed(SOON);
  expect(client.received().statuses).toEqual([400]);
  expect(client.received().text).toContain("This request could not be read.");
  expect(handled).toEqual([]);
  expect(lines.filter(({ level }) => level === "error")).toEqual([]);
});

test("a target in absolute form is answered as its path, whatever host it names", async () => {
  const { open, handled } = await serve();
  const client = await open();
  client.send(requestText({ path: "http://evil.example/page", headers: { connection: "close" } }));
  await client.closed(SOON);
  expect(client.received().statuses).toEqual([200]);
  expect(handled).toEqual(["/page"]);
});

test.each([
  "327.0.0.1",
  "evil.example",
  "a b",
  "",
  "[::1",
])("the Host header %j changes nothing", async (host) => {
  const { open } = await serve();
  const client = await open();
  client.send(requestText({ path: "/page", headers: { host, connection: "close" } }));
  await client.closed(SOON);
  expect(client.received().statuses).toEqual([200]);
});

test("a webhook without a well-formed signature is refused before its body is received", async () => {
  const { open, handled, refused } = await serve();
  for (const signature of [undefined, "", "zz", "0".repeat(63), "g".repeat(64), "0".repeat(65)]) {
    const client = await open();
    const headers = {
      "content-length": "200000",
      ...(signature === undefined ? {} : { "x-razorpay-signature": signature }),
    };
    const path = signature === "zz" ? "/x/../webhooks/razorpay" : "/webhooks/razorpay";
    client.send(requestText({ method: "POST", path, headers }));
    await client.closed(SOON);
    expect(client.received().statuses).toEqual([401]);
  }
  expect(handled).toEqual([]);
  expect(refused).toHaveLength(6);
});

test("a request is logged with the client's address and without its query, and a refused one is only counted", async () => {
  const { ask, lines, finished } = await serve();
  await (await ask("/page?token=secret")).text();
  await ask("/page", { method: "DELETE" });
  await until(() => finished.length === 2);
  expect(lines).toEqual([
    {
      level: "info",
      facts: {
        ...{ requestId: expect.stringMatching(/^[0-9a-f-]{36}$/), method: "GET", path: "/page" },
        ...{ address: "203.0.113.7", status: 200, ms: expect.any(Number) },
      },
      message: "request",
    },
  ]);
});
