import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

interface Handlers {
  answer(): void;
  /** Answers with a refusal that closes the connection. */
  refuse(): void;
  /** No later request of this connection is answered: what follows may be part of this one. */
  isLast: boolean;
}

interface ConnectionState {
  busy: boolean;
  waiting: (() => void)[];
  /** Too many requests came: the connection will be closed, and further requests are not answered. */
  closing: boolean;
}

/**
 * Answers the requests of one connection one after the other. A client that sends several without waiting (pipelining)
 * receives the answers in this order anyway. While a client does not read an answer, its next request is not started. A
 * client that sends too many requests gets the current answer and then a refusal.
 *
 * @param mostWaiting requests that may wait behind the one being answered
 * @returns a function to call with each request when it arrives
 */
export function createConnectionQueue(mostWaiting: number) {
  const connections = new WeakMap<Socket, ConnectionState>();

  const next = (socket: Socket, connection: ConnectionState) => {
    const start = connection.waiting.shift();
    if (start === undefined) connection.busy = false;
    else if (socket.destroyed) connection.waiting = [];
    else start();
  };

  return (incoming: IncomingMessage, outgoing: ServerResponse, handlers: Handlers): void => {
    const { socket } = incoming;
    const connection = connections.get(socket) ?? { busy: false, waiting: [], closing: false };
    connections.set(socket, connection);
    if (connection.closing) return;
    const start = () => {
      connection.busy = true;
      outgoing.once("close", () => next(socket, connection));
      if (connection.closing) handlers.refuse();
      else handlers.answer();
    };
    if (!connection.busy) start();
    else if (connection.waiting.length < mostWaiting) connection.waiting.push(start);
    else {
      connection.closing = true;
      // Answers keep their order, so the refusal answers the first request that waits.
      connection.waiting.length = 1;
    }
    if (handlers.isLast) connection.closing = true;
  };
}
