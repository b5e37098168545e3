import type { Server } from "node:http";

const DRAIN_MS = 10_000;
const LOOK_EVERY_MS = 100;

/** Stops accepting and waits until every request under way is answered; after ten seconds the rest are cut off. */
export async function closeGently(server: Server): Promise<void> {
  const cutOff = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  // A connection kept alive is idle only after its last answer, so once is not enough.
  const looking = setInterval(() => server.closeIdleConnections(), LOOK_EVERY_MS);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(cutOff);
  clearInterval(looking);
}
