import type { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * Closes connections whose client takes its answer too slowly: the answer stays in our memory for as long. The server's
 * own idle timeout sees only clients that take nothing at all.
 *
 * @param withinMs a part of the waiting data must have been taken in this time
 * @returns stops watching
 */
export function closeSlowReaders(server: Server, withinMs: number): () => void {
  const sockets = new Set<Socket>();
  /** When a part was last taken, and how much was by then. */
  const progress = new WeakMap<Socket, { taken: number; at: number }>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const look = setInterval(
    () => {
      const now = performance.now();
      for (const socket of sockets) {
        const taken = socket.bytesWritten - socket.writableLength;
        const last = progress.get(socket);
        if (socket.writableLength === 0 || last === undefined || taken > last.taken)
          progress.set(socket, { taken, at: now });
        else if (now - last.at >= withinMs) socket.destroy();
      }
    },
    Math.ceil(withinMs / 6),
  );
  look.unref();
  return () => clearInterval(look);
}
