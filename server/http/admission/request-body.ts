import type { IncomingMessage } from "node:http";

/** Why a body was not received: it is too long, or too many are being received. */
export class BodyRefusedError extends Error {
  readonly status: 413 | 503;

  constructor(status: 413 | 503) {
    super(status === 413 ? "the body is too long" : "too many bodies are being received");
    this.name = "BodyRefusedError";
    this.status = status;
  }
}

/** The client closed the connection before the body was complete. */
export class BodyIncompleteError extends Error {
  constructor() {
    super("the client left before the body was complete");
    this.name = "BodyIncompleteError";
  }
}

/**
 * Receives bodies whole, before anything looks at them: no code behind it meets a body that is too long or incomplete.
 * A body that takes too long ends with the server's own request timeout.
 *
 * @param mostInFlight bytes of all bodies that are being received
 */
export function createBodyReader(mostInFlight: number) {
  let inFlight = 0;

  /**
   * @param mostBytes of this body
   * @throws BodyRefusedError, BodyIncompleteError
   */
  return async (incoming: IncomingMessage, mostBytes: number): Promise<Buffer> => {
    const announced = Number(incoming.headers["content-length"] ?? 0);
    if (announced > mostBytes) throw new BodyRefusedError(413);
    const chunks: Buffer[] = [];
    let length = 0;
    try {
      await new Promise<void>((resolve, reject) => {
        incoming.on("data", (chunk: Buffer) => {
          length += chunk.length;
          inFlight += chunk.length;
          chunks.push(chunk);
          if (length > mostBytes) reject(new BodyRefusedError(413));
          else if (inFlight > mostInFlight) reject(new BodyRefusedError(503));
        });
        incoming.once("end", resolve);
        incoming.once("error", () => reject(new BodyIncompleteError()));
        incoming.once("close", () => reject(new BodyIncompleteError()));
      });
      return Buffer.concat(chunks);
    } finally {
      inFlight -= length;
      incoming.removeAllListeners("data");
      // The rest of a refused body is thrown away until the connection closes.
      incoming.resume();
    }
  };
}

/** Whether the request says that it has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
