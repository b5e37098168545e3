import { once } from "node:events";
import { Hono } from "hono";
import { expect, onTestFinished, vi } from "vitest";
import { RawConnection } from "../../../tools/abuse/raw-connection.ts";
import { seededRandom } from "../../../tools/testing/random.ts";
import { readEnv } from "../../env.ts";
import { HTTP_LIMITS, type HttpLimits } from "../http-limits.ts";
import { createHttpServer } from "../http-server.ts";
import type { FinishedRequest } from "../request-listener.ts";
import type { AppEnv } from "../request-scope.ts";

export const SOON = 20_000;
const random = seededRandom(1);
/** Large even when it is compressed. */
export const PAGE = Array.from({ length: 100_000 }, () => `<p>${random.between(0, 9_999)}</p>`).join("\n");

/** A server with a few answers; `/held`, and an upload of an odd length, wait until they are released; `/stored` is stored. */
export async function serve(limits: Partial<HttpLimits> = {}) {
  const lines: { level: string; facts: object; message: string }[] = [];
  const write = (level: string) => (facts: object, message: string) =>
    void lines.push({ level, facts, message });
  const plain = { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
  const finished: FinishedRequest[] = [];
  const refused: string[] = [];
  const handled: string[] = [];
  const held: (() => void)[] = [];
  const app = new Hono<AppEnv>();
  app.use((c, next) => {
    handled.push(c.req.path);
    return next();
  });
  app.get("/page", (c) => c.html(PAGE));
  app.get("/held", async (c) => {
    await new Promise<void>((resolve) => held.push(resolve));
    return c.text("released");
  });
  app.get("/broken-stream", () => {
    const body = new ReadableStream({ pull: () => Promise.reject(new Error("broken")) });
    return new Response(body, { headers: { "content-type": "text/html" } });
  });
  app.post("/body", async (c) => c.text(`${(await c.req.text()).length}`));
  app.post("/admin/:page", async (c) => {
    const { length } = await c.req.text();
    if (length % 2 === 1) await new Promise<void>((resolve) => held.push(resolve));
    return c.text(`${length}`);
  });
  const server = createHttpServer({
    app,
    env: readEnv({ ORIGIN: "https://shop.example.com" }),
    log: { ...plain, child: () => plain },
    refusals: { count: (reason) => void refused.push(reason), flush() {} },
    addressOf: () => "203.0.113.7",
    isTrustedProxy: () => false,
    observe: (request) => void finished.push(request),
    answerFromCache(incoming, outgoing, newRequestId) {
      if (incoming.url !== "/stored") return false;
      outgoing.writeHead(200, { "content-length": PAGE.length, "x-request-id": newRequestId() });
      outgoing.end(PAGE);
      return true;
    },
    limits: { ...HTTP_LIMITS, ...limits },
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const release of held) release();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("the server has no port");
  const { port } = bound;
  /** @param from the source address of the client, such as 127.0.0.7 */
  const open = (from?: string) => RawConnection.open({ port, ...(from && { from }) });
  const ask = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}${path}`, init);
  return { server, open, ask, lines, finished, refused, handled, held };
}

/** Waits until the condition is true. */
export const until = (condition: () => unknown) =>
  vi.waitFor(() => expect(condition()).toBeTruthy(), { timeout: SOON, interval: 20 });
