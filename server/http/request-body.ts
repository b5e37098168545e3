import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpLimits, SharedLimit } from "./http-limits.ts";
import { hasSessionCookie, LARGE_BODY_PATHS, type RequestScope, WEBHOOK_PATH } from "./request-scope.ts";

/** A body was not received: it is too long, or too many bodies are being received. */
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
 * Receives whole bodies before a request is handled, so that no handler gets a body that is too long or incomplete. A
 * body that takes too long ends with the request timeout of the server.
 *
 * @param inFlight limit on the bytes of all bodies that are being received
 */
function createBodyReader(inFlight: SharedLimit) {
  /**
   * @param options.most limit on the bytes of this body
   * @param options.address the client's address, which has a limit of its own
   * @param options.countedUntil the bytes of the received body count until this answer is sent or its client has left;
   *   without it, until they are received
   * @throws BodyRefusedError, BodyIncompleteError
   */
  return async (
    incoming: IncomingMessage,
    options: { most: number; address: string; countedUntil?: ServerResponse },
  ): Promise<Buffer> => {
    const announced = Number(incoming.headers["content-length"] ?? 0);
    if (announced > options.most) throw new BodyRefusedError(413);
    const chunks: Buffer[] = [];
    const releases: (() => void)[] = [];
    const releaseAll = () => {
      for (const release of releases.splice(0)) release();
    };
    let length = 0;
    try {
      await new Promise<void>((resolve, reject) => {
        incoming.on("data", (chunk: Buffer) => {
          length += chunk.length;
          const release = inFlight.enter(options.address, chunk.length);
          if (length > options.most) reject(new BodyRefusedError(413));
          else if (release === null) reject(new BodyRefusedError(503));
          else chunks.push(chunk);
          if (release) releases.push(release);
        });
        incoming.once("end", resolve);
        incoming.once("error", () => reject(new BodyIncompleteError()));
        incoming.once("close", () => {
          if (!incoming.complete) reject(new BodyIncompleteError());
        });
      });
      const body = Buffer.concat(chunks);
      if (options.countedUntil?.closed === false) options.countedUntil.once("close", releaseAll);
      else releaseAll();
      return body;
    } catch (error) {
      releaseAll();
      throw error;
    } finally {
      // Other listeners of the request still hold them.
      chunks.length = 0;
      incoming.removeAllListeners("data");
      // The rest of a refused body is discarded until the connection closes.
      incoming.resume();
    }
  };
}

/** Reads bodies with the limits of their path. Uploads share no limit with other bodies. */
export function createRequestBodyReader(
  limits: HttpLimits,
  shared: (most: number, mostPerAddress: number) => SharedLimit,
) {
  const readBody = createBodyReader(shared(limits.bodyBytesInFlight, limits.bodyBytesInFlightPerAddress));
  const readUpload = createBodyReader(
    shared(limits.uploadBytesInFlight, limits.uploadBytesInFlightPerAddress),
  );
  return (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    { path, address }: RequestScope,
  ): Promise<Buffer> => {
    if (isUpload(incoming, path, limits))
      return readUpload(incoming, { most: limits.uploadBodyBytes, address, countedUntil: outgoing });
    const most = path === WEBHOOK_PATH ? limits.webhookBodyBytes : limits.bodyBytes;
    return readBody(incoming, { most, address });
  };
}

/** A small form of the admin does not count as an upload: it still works when uploads have used up their limit. */
function isUpload({ method, headers }: IncomingMessage, path: string, { bodyBytes }: HttpLimits): boolean {
  const isLarge = Number(headers["content-length"]) > bodyBytes;
  return (
    // The cookie may be invalid: the actor is not known before the body is received.
    isLarge && method === "POST" && LARGE_BODY_PATHS.has(path) && hasSessionCookie(headers.cookie)
  );
}

/** Whether the request says that it has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
