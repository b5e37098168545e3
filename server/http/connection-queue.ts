import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

interface Line {
  busy: boolean;
  waiting: (() => void)[];
  /** Too many requests came; what comes now is not answered, because the connection is about to be closed. */
  closing: boolean;
}

/**
 * Answers the requests of one connection one after the other, as a client that sends several without waiting for
 * answers (pipelining) receives them anyway: an answer that nobody reads keeps the next one from being made.
 *
 * @param mostWaiting requests that may wait behind the one being answered
 * @returns gives each request its turn; `refuse` answers the one that is too many, and must close the connection
 */
export function createConnectionQueue(mostWaiting: number) {
  const lines = new WeakMap<Socket, Line>();

  const next = (socket: Socket, line: Line) => {
    const start = line.waiting.shift();
    if (start === undefined) line.busy = false;
    else if (socket.destroyed) line.waiting = [];
    else start();
  };

  return (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    handlers: { answer: () => void; refuse: () => void },
  ): void => {
    const { socket } = incoming;
    const line = lines.get(socket) ?? { busy: false, waiting: [], closing: false };
    lines.set(socket, line);
    if (line.closing) return;
    const start = () => {
      line.busy = true;
      outgoing.once("close", () => next(socket, line));
      handlers.answer();
    };
    if (!line.busy) start();
    else if (line.waiting.length < mostWaiting) line.waiting.push(start);
    else {
      line.closing = true;
      handlers.refuse();
    }
  };
}
