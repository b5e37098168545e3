import type { Server } from "node:http";
import type { Server as Listener } from "node:net";

const DRAIN_MS = 10_000;
const LOOK_EVERY_MS = 100;

/**
 * Stops accepting and waits until every open request is answered; after ten seconds the rest are cut off.
 *
 * @param listeners all that accept connections for the server, the server itself included
 */
export async function closeGently(server: Server, listeners: readonly Listener[] = [server]): Promise<void> {
  const cutOff = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  // A connection kept alive is idle only after its last answer, so once is not enough.
  const looking = setInterval(() => server.closeIdleConnections(), LOOK_EVERY_MS);
  const closed = listeners.map((listener) => new Promise<void>((resolve) => listener.close(() => resolve())));
  server.closeIdleConnections();
  await Promise.all(closed);
  clearTimeout(cutOff);
  clearInterval(looking);
}
