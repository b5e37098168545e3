import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { ConfigurationError, type Env } from "../env.ts";

// A shop that is being stopped has released its port by then.
const STOPPING_MS = 2_000;

/**
 * Checks that the shop will be able to listen, before anything is built or started.
 *
 * @throws ConfigurationError
 */
export async function checkPort({ host, port }: Pick<Env, "host" | "port">): Promise<void> {
  const deadline = Date.now() + STOPPING_MS;
  for (;;) {
    const error = await tryPort(host, port);
    if (error === undefined) return;
    const isTaken = "code" in error && error.code === "EADDRINUSE";
    if (!isTaken || Date.now() > deadline) throw explain(error, host, port);
    await delay(100);
  }
}

function tryPort(host: string, port: number): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", resolve);
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

function explain(error: Error, host: string, port: number): ConfigurationError {
  const code = "code" in error ? String(error.code) : error.message;
  const sentences: Record<string, string> = {
    EADDRINUSE: `PORT ${port} on ${host} is in use by another program: stop that one, or set PORT to another number.`,
    EACCES: `PORT ${port} may not be used by this user: set PORT to a number above 1023.`,
    EADDRNOTAVAIL: `HOST ${host} is not an address of this machine.`,
    ENOTFOUND: `HOST ${host} is not a name this machine knows.`,
  };
  return new ConfigurationError(sentences[code] ?? `PORT ${port} on ${host} cannot be used (${code}).`, {
    cause: error,
  });
}
