import type { Server } from "node:http";

const DRAIN_MS = 10_000;

/** Stops accepting and waits until every request under way is answered; after ten seconds the rest are cut off. */
export async function closeGently(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    const cutOff = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    server.close(() => {
      clearTimeout(cutOff);
      resolve();
    });
    server.closeIdleConnections();
  });
}
