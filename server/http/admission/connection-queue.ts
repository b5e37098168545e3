import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

interface Handlers {
  answer(): void;
  /** Answers with a refusal that closes the connection. */
  refuse(): void;
}

interface Line {
  busy: boolean;
  waiting: (() => void)[];
  /** Too many requests came. The connection is about to be closed, so what comes now is not answered. */
  closing: boolean;
}

/**
 * Answers the requests of one connection one after the other, as a client that sends several without waiting for
 * answers (pipelining) receives them anyway: an answer that nobody reads keeps the next one from being made. A client that
 * sends too many gets the answer that is being made, then a refusal.
 *
 * @param mostWaiting requests that may wait behind the one being answered
 * @returns gives each request its turn
 */
export function createConnectionQueue(mostWaiting: number) {
  const lines = new WeakMap<Socket, Line>();

  const next = (socket: Socket, line: Line) => {
    const start = line.waiting.shift();
    if (start === undefined) line.busy = false;
    else if (socket.destroyed) line.waiting = [];
    else start();
  };

  return (incoming: IncomingMessage, outgoing: ServerResponse, handlers: Handlers): void => {
    const { socket } = incoming;
    const line = lines.get(socket) ?? { busy: false, waiting: [], closing: false };
    lines.set(socket, line);
    if (line.closing) return;
    const start = () => {
      line.busy = true;
      outgoing.once("close", () => next(socket, line));
      if (line.closing) handlers.refuse();
      else handlers.answer();
    };
    if (!line.busy) return start();
    if (line.waiting.length < mostWaiting) {
      line.waiting.push(start);
      return;
    }
    line.closing = true;
    // Answers keep their order, so the refusal stands in the place of the first request that waits.
    line.waiting.length = 1;
  };
}
