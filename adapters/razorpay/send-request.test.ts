import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createRequestSender } from "./api-client.ts";

let server: Server;
afterEach(() => {
  server.close();
});

/** Sends a request to a server that always sends `text`, and then keeps the connection open or closes it. */
async function requestTo(text: string, options = { closes: false }) {
  server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => (options.closes ? socket.end(text) : socket.write(text)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("no port");
  const url = `http://127.0.0.1:${address.port}`;
  return createRequestSender(url)(url, { method: "GET", headers: {}, body: null, withinMs: 300 });
}

test("a response is read to its end, with the time of the server", async () => {
  expect(await requestTo("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi")).toEqual({
    status: 200,
    text: "hi",
    date: null,
  });
  const dated = "HTTP/1.1 200 OK\r\ndate: Fri, 01 May 2026 10:00:00 GMT\r\ncontent-length: 2\r\n\r\nhi";
  expect((await requestTo(dated)).date).toEqual(new Date("2026-05-01T10:00:00Z"));
});

test("a redirect is returned as a response and not followed", async () => {
  const answer = "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
  expect((await requestTo(answer)).status).toBe(302);
});

test.each([
  ["nothing", "", false],
  ["nothing and closes the connection", "", true],
  ["half a response", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf", false],
  ["half a response and closes the connection", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf", true],
  [
    "another protocol",
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
    false,
  ],
  ["something other than HTTP", "what?\r\n\r\n", false],
])("a server that sends %s fails the request in time", async (_, text, closes) => {
  await expect(requestTo(text, { closes })).rejects.toThrow();
});
