import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Env } from "../env.ts";
import { createSharedLimit, type HttpLimits } from "./http-limits.ts";
import type { RefusalLog } from "./refusals.ts";
import { hasBody } from "./request-body.ts";

interface Turn {
  answer(): void;
  /** Answers with a refusal that closes the connection. */
  refuse(): void;
  /** No later request of this connection is answered: what follows may be part of this one. */
  isLast: boolean;
}

interface Connection {
  requests: number;
  busy: boolean;
  waiting: { outgoing: ServerResponse; start(): void; refuse(): void }[];
  /** The connection will be closed: further requests are not answered. */
  closing: boolean;
  /** How many bytes the client had read, and when that number last grew. */
  readBytes: number;
  readAt: number;
  /** Gives the share of its address back. */
  release: () => void;
}

export interface ConnectionsOptions {
  env: Pick<Env, "limitsPerAddress">;
  limits: HttpLimits;
  refusals: RefusalLog;
  /** Whether connections of this address carry the requests of many clients. */
  isTrustedProxy(address: string | undefined): boolean;
}

export interface Connections {
  /** To be called with each new connection of the server. */
  accept(socket: Socket): void;
  /**
   * To be called with each request when it arrives. The requests of one connection are answered one after the other: a
   * client that sends several without waiting (pipelining) receives the answers in this order anyway. While it does not
   * read an answer, its next request is not started. When too many wait, it gets the current answer and then a refusal.
   */
  enqueue(incoming: IncomingMessage, outgoing: ServerResponse, turn: Turn): void;
}

/**
 * Limits the connections of all clients and of each address. When nearly all are in use, those on which the shop answers
 * nothing are closed for new ones: first those that have not sent a whole request in the time for it, the oldest first, then
 * those that have waited longest for another request. Without that time, whoever holds idle connections would keep visitors
 * on slow networks out.
 */
export function createConnections(server: Server, options: ConnectionsOptions): Connections {
  const { env, limits, refusals, isTrustedProxy } = options;
  const shares = createSharedLimit({
    most: Number.POSITIVE_INFINITY,
    mostPerAddress: limits.connectionsPerAddress,
    perAddressFactor: env.limitsPerAddress,
  });
  const open = new Map<Socket, Connection>();
  /** When those were accepted that have not sent a whole request yet; the oldest first. */
  const newcomers = new Map<Socket, number>();
  /** They have got all their answers; the connection that waits longest first. */
  const idle = new Set<Socket>();

  const forget = (socket: Socket) => {
    open.get(socket)?.release();
    open.delete(socket);
    newcomers.delete(socket);
    idle.delete(socket);
  };
  const close = (socket: Socket, reason: string) => {
    refusals.count(reason, socket.remoteAddress ?? "unknown");
    forget(socket);
    socket.destroy();
  };
  const makeRoom = () => {
    const [[newcomer, acceptedAt] = [undefined, Number.POSITIVE_INFINITY]] = newcomers;
    const [longestIdle] = idle;
    const isDue = performance.now() - acceptedAt >= limits.newcomerGraceMs;
    const one = isDue ? newcomer : (longestIdle ?? newcomer);
    if (one !== undefined) close(one, "no request while connections are scarce");
  };
  const received = (socket: Socket) => {
    newcomers.delete(socket);
    idle.delete(socket);
  };
  const next = (socket: Socket, connection: Connection) => {
    const turn = connection.waiting.shift();
    if (turn === undefined) {
      connection.busy = false;
      if (open.has(socket)) idle.add(socket);
    } else if (socket.destroyed) connection.waiting = [];
    else begin(socket, connection, turn);
  };
  const begin = (socket: Socket, connection: Connection, turn: Connection["waiting"][number]) => {
    connection.busy = true;
    turn.outgoing.once("close", () => next(socket, connection));
    turn.start();
  };

  closeSlowReaders(server, open, limits.slowReaderMs);
  return {
    accept(socket) {
      const { remoteAddress } = socket;
      const release = isTrustedProxy(remoteAddress)
        ? () => undefined
        : shares.enter(remoteAddress ?? "unknown");
      if (release === null) return close(socket, "too many connections");
      if (open.size >= limits.connectionsBeforeClosing) makeRoom();
      open.set(socket, {
        requests: 0,
        busy: false,
        waiting: [],
        closing: false,
        release,
        readBytes: 0,
        readAt: performance.now(),
      });
      if (open.size > limits.connections) return close(socket, "too many connections");
      newcomers.set(socket, performance.now());
      socket.once("close", () => forget(socket));
    },

    enqueue(incoming, outgoing, { answer, refuse, isLast }) {
      const { socket } = incoming;
      const connection = open.get(socket);
      if (connection === undefined || connection.closing) return;
      if (hasBody(incoming)) incoming.once("end", () => received(socket));
      else received(socket);
      connection.requests++;
      // Node's own limit says so too, but leaves the connection open and answers 503 to all that follow.
      if (connection.requests >= limits.requestsPerConnection) outgoing.shouldKeepAlive = false;
      const turn = { outgoing, start: answer, refuse };
      if (!connection.busy) begin(socket, connection, turn);
      else if (connection.waiting.length < limits.waitingPerConnection) connection.waiting.push(turn);
      else {
        connection.closing = true;
        // Answers keep their order, so the refusal answers the first request that waits.
        connection.waiting = connection.waiting
          .slice(0, 1)
          .map((first) => ({ ...first, start: first.refuse }));
      }
      if (isLast || !outgoing.shouldKeepAlive) connection.closing = true;
    },
  };
}

/**
 * Closes connections whose client has not read a part of its answer for `withinMs`: the answer stays in memory, and its
 * request in flight, until then. The idle timeout of the server closes only clients that read nothing at all.
 */
function closeSlowReaders(server: Server, open: ReadonlyMap<Socket, Connection>, withinMs: number): void {
  const check = setInterval(
    () => {
      const now = performance.now();
      for (const [socket, connection] of open) {
        const readBytes = socket.bytesWritten - socket.writableLength;
        if (socket.writableLength === 0 || readBytes > connection.readBytes)
          Object.assign(connection, { readBytes, readAt: now });
        else if (now - connection.readAt >= withinMs) socket.destroy();
      }
    },
    Math.ceil(withinMs / 6),
  );
  check.unref();
  server.once("close", () => clearInterval(check));
}
