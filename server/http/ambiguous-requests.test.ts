import { expect, test } from "vitest";
import { requestText } from "../../tools/abuse/raw-connection.ts";
import { SOON, serve, until } from "./testing/limited-server.ts";

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
