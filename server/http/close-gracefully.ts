import type { Server } from "node:http";
import type { Server as Listener } from "node:net";

const DRAIN_MS = 10_000;
const CHECK_EVERY_MS = 100;

/**
 * Stops accepting connections and waits until every request is answered; after ten seconds the rest are cut off.
 *
 * @param listeners all that accept connections for the server, the server itself included
 */
export async function closeGracefully(
  server: Server,
  listeners: readonly Listener[] = [server],
): Promise<void> {
  const cutOff = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  // A kept-alive connection becomes idle only after its last answer, so this is repeated.
  const closingIdle = setInterval(() => server.closeIdleConnections(), CHECK_EVERY_MS);
  const closed = listeners.map((listener) => new Promise<void>((resolve) => listener.close(() => resolve())));
  server.closeIdleConnections();
  await Promise.all(closed);
  clearTimeout(cutOff);
  clearInterval(closingIdle);
}
