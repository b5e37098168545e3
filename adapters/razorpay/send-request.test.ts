import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createRequestSender } from "./send-request.ts";

let server: Server;
afterEach(() => {
  server.close();
});

/** A server that says the same to everyone, and then keeps the line or hangs up. */
async function saying(text: string, options = { hangsUp: false }) {
  server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => (options.hangsUp ? socket.end(text) : socket.write(text)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("no port");
  const url = `http://127.0.0.1:${address.port}`;
  return createRequestSender(url)(url, { method: "GET", headers: {}, body: null, withinMs: 300 });
}

test("an answer is read to its end", async () => {
  expect(await saying("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi")).toEqual({ status: 200, text: "hi" });
});

test("a redirect is an answer, not followed", async () => {
  const answer = "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
  expect((await saying(answer)).status).toBe(302);
});

test.each([
  ["nothing", "", false],
  ["nothing and hangs up", "", true],
  ["half an answer", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf", false],
  ["half an answer and hangs up", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf", true],
  [
    "another protocol",
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
    false,
  ],
  ["no HTTP", "what?\r\n\r\n", false],
])("one that says %s is no answer, and is not waited for without end", async (_, text, hangsUp) => {
  await expect(saying(text, { hangsUp })).rejects.toThrow();
});
