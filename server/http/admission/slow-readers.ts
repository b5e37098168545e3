import type { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * Closes connections whose client reads its answer too slowly, because the answer stays in memory until then. The idle
 * timeout of the server only closes clients that read nothing at all.
 *
 * @param withinMs a client must read a part of its answer within this time
 * @returns a function that stops the checks
 */
export function closeSlowReaders(server: Server, withinMs: number): () => void {
  const sockets = new Set<Socket>();
  /** How many bytes a client had read, and when that number last grew. */
  const progress = new WeakMap<Socket, { readBytes: number; at: number }>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const check = setInterval(
    () => {
      const now = performance.now();
      for (const socket of sockets) {
        const readBytes = socket.bytesWritten - socket.writableLength;
        const last = progress.get(socket);
        if (socket.writableLength === 0 || last === undefined || readBytes > last.readBytes)
          progress.set(socket, { readBytes, at: now });
        else if (now - last.at >= withinMs) socket.destroy();
      }
    },
    Math.ceil(withinMs / 6),
  );
  check.unref();
  return () => clearInterval(check);
}
