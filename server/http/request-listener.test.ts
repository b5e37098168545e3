import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { requestText } from "#tests/abuse/raw-connection.ts";
import { PAGE, SOON, serve, until } from "#tests/fixtures/limited-server.ts";

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

test("liveness checks never reach a handler", async () => {
  const { ask, handled } = await serve();
  expect(await (await ask("/healthz")).json()).toEqual({ ok: true });
  expect((await ask("/x/../healthz")).status).toBe(200);
  expect(handled).toEqual([]);
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

test("a request is logged with the client's address and without its query, and a refused one is only counted", async () => {
  const { ask, lines, finished } = await serve();
  await (await ask("/page?token=secret")).text();
  await ask("/page", { method: "DELETE" });
  await until(() => finished.length === 2);
  expect(lines).toEqual([
    {
      level: "info",
      facts: {
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        method: "GET",
        path: "/page",
        address: "203.0.113.7",
        status: 200,
        ms: expect.any(Number),
      },
      message: "request",
    },
  ]);
});

test.each([
  ["two hosts", "host: shop.example\r\nHOST: shop.example\r\n", "/page"],
  ["two hosts and a stored page", "host: shop.example\r\nhost: evil.example\r\n", "/stored"],
  ["another coding before chunked", "host: a\r\ntransfer-encoding: x, chunked\r\n", "/page"],
  [
    "two codings in two headers",
    "host: a\r\ntransfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n",
    "/page",
  ],
  ["chunked twice", "host: a\r\ntransfer-encoding: chunked, chunked\r\n", "/page"],
])("a request with %s is refused, and nothing that follows on its connection is answered", async (_what, headers, path) => {
  const { open, handled } = await serve();
  const client = await open();
  const body = headers.includes("chunked") ? "0\r\n\r\n" : "";
  const method = body === "" ? "GET" : "POST";
  client.send(`${method} ${path} HTTP/1.1\r\n${headers}\r\n${body}${requestText({ path: "/page" })}`);
  await client.closed(SOON);
  expect(client.received().statuses).toEqual([400]);
  expect(handled).toEqual([]);
});

test("a body in chunks is received, however the header is written", async () => {
  const { open, handled } = await serve();
  const client = await open();
  client.send("POST /page HTTP/1.1\r\nhost: a\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n");
  await until(() => client.received().statuses.length === 1);
  expect(handled).toEqual(["/page"]);
});
