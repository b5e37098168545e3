import { once } from "node:events";
import { createServer, connect as openSocket, type Server, type Socket } from "node:net";

/** What the proxy does at a message: the database is gone, or it is silent. */
type Fault = "cut" | "hold";

/** The length of a message is in the four bytes after its type. The first message of a connection has no type. */
const LENGTH_BYTES = 4;

/**
 * A proxy between a shop and its Postgres. It counts the messages of the shop and fails at one of them: it closes all
 * connections and refuses new ones, or passes nothing on any more.
 */
export class CuttingProxy {
  readonly url: string;
  /** Messages of the shop so far, on all connections. */
  messages = 0;
  readonly #server: Server;
  readonly #target: { host: string; port: number };
  readonly #sockets = new Set<Socket>();
  #failsAt = Number.POSITIVE_INFINITY;
  #fault: Fault = "cut";
  #isBroken = false;

  private constructor(url: string, server: Server, target: { host: string; port: number }) {
    this.url = url;
    this.#server = server;
    this.#target = target;
  }

  /** @param databaseUrl the address of the real database */
  static async start(databaseUrl: string): Promise<CuttingProxy> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the proxy has no port");
    const url = new URL(databaseUrl);
    const target = { host: url.hostname, port: Number(url.port) };
    url.host = `127.0.0.1:${address.port}`;
    const proxy = new CuttingProxy(url.href, server, target);
    server.on("connection", (client) => proxy.#serve(client));
    return proxy;
  }

  /** From now on fails before the message with this number is passed on; the first is 1. */
  failAt(message: number, fault: Fault): void {
    this.messages = 0;
    this.#failsAt = message;
    this.#fault = fault;
  }

  get hasFailed(): boolean {
    return this.#isBroken;
  }

  /** The database answers again. */
  repair(): void {
    this.#failsAt = Number.POSITIVE_INFINITY;
    this.#isBroken = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #serve(client: Socket): void {
    this.#track(client);
    if (this.#isBroken) {
      if (this.#fault === "cut") client.destroy();
      return;
    }
    const database = openSocket(this.#target);
    this.#track(database);
    client.once("close", () => database.destroy());
    database.once("close", () => client.destroy());
    database.on("data", (bytes) => {
      if (!this.#isBroken) client.write(bytes);
    });
    const read = createMessageReader();
    client.on("data", (bytes) => {
      for (const message of read(bytes)) if (this.#mayPass()) database.write(message);
    });
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  #mayPass(): boolean {
    if (this.#isBroken) return false;
    this.messages++;
    if (this.messages < this.#failsAt) return true;
    this.#isBroken = true;
    if (this.#fault === "cut") for (const socket of this.#sockets) socket.destroy();
    return false;
  }
}

/** Splits the bytes of one connection into whole messages. */
function createMessageReader(): (bytes: Buffer) => Buffer[] {
  let rest = Buffer.alloc(0);
  let typeBytes = 0;
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    const messages: Buffer[] = [];
    while (rest.length >= typeBytes + LENGTH_BYTES) {
      const size = typeBytes + rest.readUInt32BE(typeBytes);
      if (rest.length < size) break;
      messages.push(rest.subarray(0, size));
      rest = rest.subarray(size);
      typeBytes = 1;
    }
    return messages;
  };
}
