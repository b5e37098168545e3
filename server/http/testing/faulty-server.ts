// A server whose handlers fail outside of their own call. request-scope.test.ts runs it as a process of its own. It
// prints its port and then its log. A line on its standard input makes it fail outside of any request.
import { EventEmitter, once } from "node:events";
import { createGunzip } from "node:zlib";
import { Hono } from "hono";
import { readEnv } from "../../env.ts";
import { createLog } from "../../log.ts";
import { watchForShutdown, whenAborted } from "../../start/shutdown.ts";
import { createHttpServer } from "../http-server.ts";
import { createRefusalLog } from "../refusals.ts";
import { type AppEnv, endFailedRequest } from "../request-scope.ts";

const never = () => new Promise<Response>(() => undefined);
const app = new Hono<AppEnv>();
app.get("/well", (c) => c.text("well"));
app.get("/timer", () => {
  setTimeout(() => {
    throw new Error("thrown by a timer");
  });
  return never();
});
app.get("/emitter", () => {
  setImmediate(() => new EventEmitter().emit("error", new Error("an error event without a listener")));
  return never();
});
app.get("/stream", () => {
  createGunzip()
    .on("data", () => undefined)
    .end("this is no gzip");
  return never();
});
app.get("/rejection", () => {
  void Promise.reject(new Error("a rejection that nobody handles"));
  return never();
});
app.get("/after-answer", (c) => {
  setTimeout(() => {
    throw new Error("thrown after the answer");
  }, 20);
  return c.text("answered");
});

const shutdown = watchForShutdown();
shutdown.handleUncaughtErrorsWith(endFailedRequest);
const log = createLog("info");
const server = createHttpServer({
  app,
  env: readEnv({}),
  log,
  refusals: createRefusalLog(log),
  addressOf: () => "203.0.113.7",
  isTrustedProxy: () => false,
  observe: () => undefined,
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const address = server.address();
process.stdout.write(`${typeof address === "object" && address ? address.port : ""}\n`);
process.stdin.once("data", () => {
  throw new Error("thrown outside of any request");
});
await whenAborted(shutdown.stop);
process.exit(shutdown.failure() instanceof Error ? 1 : 0);
