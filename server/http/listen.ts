import { once } from "node:events";
import type { Server } from "node:http";
import { createServer, type Server as Listener, type ListenOptions } from "node:net";

/**
 * Node accepts one connection of a listener in each iteration of the event loop. With a single listener, clients that
 * connect and leave at once delay all others by seconds.
 */
const LISTENERS = 8;

/** Some systems cannot share a port among listeners. */
const UNSUPPORTED = new Set(["ENOTSUP", "EOPNOTSUPP", "EINVAL", "ENOPROTOOPT"]);

/**
 * Makes the server listen, with several listeners on the same port where the system allows that.
 *
 * @returns all listeners, the server first; each has to be closed
 * @throws the error of a listener that cannot be bound; then nothing listens
 */
export async function listen(
  server: Server,
  { port, host }: { port: number; host: string },
): Promise<Listener[]> {
  try {
    await listenAt(server, { port, host, reusePort: true });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && UNSUPPORTED.has(String(error.code)))) throw error;
    await listenAt(server, { port, host });
    return [server];
  }
  const address = server.address();
  const shared = typeof address === "object" && address !== null ? address.port : port;
  const others = Array.from({ length: LISTENERS - 1 }, () => createListener(server));
  const results = await Promise.allSettled(
    others.map((listener) => listenAt(listener, { port: shared, host, reusePort: true })),
  );
  const failed = results.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") {
    await closeAll(server, [server, ...others]);
    throw failed.reason;
  }
  return [server, ...others];
}

/** Closes those listeners that are bound, and cuts off the connections that they have accepted. */
async function closeAll(server: Server, listeners: readonly Listener[]): Promise<void> {
  const closed = listeners.map((listener) => new Promise((resolve) => listener.close(resolve)));
  server.closeAllConnections();
  await Promise.all(closed);
}

/** Creates a listener that passes its connections to the HTTP server. */
function createListener(server: Server): Listener {
  return createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    // The client has already left.
    if (socket.remoteAddress === undefined) socket.destroy();
    else server.emit("connection", socket);
  });
}

async function listenAt(listener: Listener, options: ListenOptions): Promise<void> {
  listener.listen(options);
  await once(listener, "listening");
}
