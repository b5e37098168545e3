import { once } from "node:events";
import { Agent, createServer, request, type Server } from "node:http";
import { type AddressInfo, connect, Server as Listener, type ListenOptions } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { ConfigurationError } from "../env.ts";
import { checkPort } from "../start/checks.ts";
import { closeGracefully, listen } from "./http-server.ts";

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

/** The port of a listener that does not share it. */
async function occupyPort(): Promise<number> {
  const other = createServer();
  other.listen(0, HOST);
  await once(other, "listening");
  onTestFinished(() => {
    other.close();
  });
  return (other.address() as AddressInfo).port;
}

test.runIf(sharesPorts)("all listeners are closed when a later one cannot be bound", async () => {
  const occupied = await occupyPort();
  const listeners: Listener[] = [];
  const original = Listener.prototype.listen;
  vi.spyOn(Listener.prototype, "listen").mockImplementation(function (
    this: Listener,
    options: ListenOptions,
  ) {
    listeners.push(this);
    return original.call(this, listeners.length === 4 ? { ...options, port: occupied } : options);
  } as typeof original);
  const listening = listen(createServer(), { port: 0, host: HOST });
  await expect(listening).rejects.toMatchObject({ code: "EADDRINUSE" });
  expect(listeners.length).toBeGreaterThan(4);
  expect(listeners.filter((listener) => listener.listening)).toEqual([]);
});

test("a port of another program is refused with its reason", async () => {
  const port = await occupyPort();
  await expect(listen(createServer(), { port, host: HOST })).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test("a closing server answers the current request and does not wait for its kept-alive connection", async () => {
  let answer: () => void = () => undefined;
  const server = createServer((_request, response) => {
    answer = () => response.end("done");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const agent = new Agent({ keepAlive: true });
  const arrived = new Promise<void>((resolve) => server.once("request", () => resolve()));
  const answered = new Promise<string>((resolve, reject) => {
    request({ port, host: "127.0.0.1", agent }, (response) => {
      response.setEncoding("utf8");
      response.on("data", resolve);
    })
      .on("error", reject)
      .end();
  });
  await arrived;
  const closed = closeGracefully(server);
  answer();
  expect(await answered).toBe("done");
  await closed;
  expect(server.listening).toBe(false);
  agent.destroy();
});
