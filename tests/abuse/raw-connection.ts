import { connect, type Socket } from "node:net";

/** Enough to identify a response without using much memory of the client. */
const KEPT_BYTES = 64 * 1024;

export interface RawResponses {
  /** Status of each response, in order. */
  statuses: number[];
  /** The first 64 KB received. */
  text: string;
  bytes: number;
}

/** A raw TCP client that may violate HTTP: the caller decides what it sends and reads. */
export class RawConnection {
  readonly #socket: Socket;
  #kept: Buffer[] = [];
  #bytes = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    // A flood adds a listener for each response.
    socket.setMaxListeners(0);
    // A closed or reset connection is an expected result.
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => {
      if (this.#bytes < KEPT_BYTES) this.#kept.push(chunk);
      this.#bytes += chunk.length;
    });
  }

  /** @param options.from the source address, such as 127.0.0.7; all of 127.0.0.0/8 is this machine */
  static open(options: { port: number; from?: string }): Promise<RawConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({
        host: "127.0.0.1",
        port: options.port,
        ...(options.from === undefined ? {} : { localAddress: options.from }),
      });
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.off("error", reject);
        resolve(new RawConnection(socket));
      });
    });
  }

  send(data: string | Buffer): void {
    if (this.#socket.writable) this.#socket.write(data);
  }

  /** Resolves when the data is passed to the system, or the connection is closed. */
  sendAll(data: string | Buffer): Promise<void> {
    return new Promise((resolve) => {
      if (!this.#socket.writable) return resolve();
      this.#socket.once("close", () => resolve());
      this.#socket.write(data, () => resolve());
    });
  }

  /** Stops reading, so that responses fill the buffers. */
  stopReading(): void {
    this.#socket.pause();
  }

  /** Reads one part in each interval. */
  readSlowly(everyMs: number): void {
    this.#socket.on("data", () => {
      this.#socket.pause();
      setTimeout(() => this.#socket.resume(), everyMs);
    });
  }

  /** Resets the connection. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  /** Half-closes the connection and keeps reading. */
  finishSending(): void {
    this.#socket.end();
  }

  get isClosed(): boolean {
    return this.#socket.destroyed || this.#socket.closed;
  }

  received(): RawResponses {
    const text = Buffer.concat(this.#kept).toString("latin1");
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
    return { statuses, text, bytes: this.#bytes };
  }

  /** Resolves when the server has closed the connection. @throws Error after `withinMs` */
  closed(withinMs: number): Promise<void> {
    return waitFor((done) => {
      if (this.isClosed) return done();
      this.#socket.once("close", done);
      this.#socket.once("end", done);
    }, withinMs);
  }

  /** Resolves when at least `wanted` bytes have arrived, or the connection is closed. @throws Error after `withinMs` */
  receivedBytes(wanted: number, withinMs: number): Promise<void> {
    return waitFor((done) => {
      const look = () => {
        if (this.#bytes >= wanted) done();
      };
      this.#socket.on("data", look);
      this.#socket.once("close", done);
      if (this.isClosed) done();
      look();
    }, withinMs);
  }
}

function waitFor(subscribe: (done: () => void) => void, withinMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`nothing happened within ${withinMs} ms`)), withinMs);
    subscribe(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** The text of one request. */
export function requestText(request: {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}): string {
  const { method = "GET", path, headers = {}, body } = request;
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...Object.entries({ host: "localhost", ...headers }).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body ?? ""}`;
}
