import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Server as Listener } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { ConfigurationError } from "../env.ts";
import { checkPort } from "../start/check-port.ts";
import { closeGracefully } from "./close-gracefully.ts";
import { listen } from "./listen.ts";

const HOST = "127.0.0.1";
/** Elsewhere a port cannot be shared, and the server listens alone. */
const sharesPorts = process.platform === "linux";

async function serve(server: Server): Promise<{ listeners: Listener[]; port: number }> {
  const listeners = await listen(server, { port: 0, host: HOST });
  onTestFinished(() => {
    server.closeAllConnections();
    for (const listener of listeners) listener.close();
  });
  return { listeners, port: (server.address() as AddressInfo).port };
}

test.runIf(sharesPorts)("several listeners share one port and answer through the same server", async () => {
  const server = createServer((_, response) => response.end("answered"));
  const { listeners, port } = await serve(server);
  expect(listeners.length).toBeGreaterThan(1);
  const used = new Set<Listener>();
  for (const listener of listeners) listener.on("connection", () => used.add(listener));
  const answers = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const response = await fetch(`http://${HOST}:${port}`, { headers: { connection: "close" } });
      return response.text();
    }),
  );
  expect(new Set(answers)).toEqual(new Set(["answered"]));
  expect(used.size).toBeGreaterThan(1);
});

test("closing waits for the answers of all listeners, and then nothing listens any more", async () => {
  const held: (() => void)[] = [];
  const server = createServer((_, response) => held.push(() => response.end("late")));
  const { listeners, port } = await serve(server);
  const answers = Array.from({ length: 20 }, async () => (await fetch(`http://${HOST}:${port}`)).text());
  await expect.poll(() => held.length).toBe(20);
  const closed = closeGracefully(server, listeners);
  await expect.poll(() => listeners.some(({ listening }) => listening)).toBe(false);
  for (const release of held) release();
  expect(new Set(await Promise.all(answers))).toEqual(new Set(["late"]));
  await closed;
  const refused = connect({ port, host: HOST });
  const [error] = await once(refused, "error");
  expect(error).toMatchObject({ code: "ECONNREFUSED" });
});

test("a second shop cannot use the port that a shop's listeners share", async () => {
  const { port } = await serve(createServer());
  await expect(checkPort({ host: HOST, port })).rejects.toThrow(ConfigurationError);
});

test("a port of another program is refused with its reason", async () => {
  const other = createServer();
  other.listen(0, HOST);
  await once(other, "listening");
  onTestFinished(() => {
    other.close();
  });
  const { port } = other.address() as AddressInfo;
  await expect(listen(createServer(), { port, host: HOST })).rejects.toMatchObject({ code: "EADDRINUSE" });
});
