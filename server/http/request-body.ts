import type { IncomingMessage, ServerResponse } from "node:http";
import { hasSessionCookie } from "#adapters/better-auth/auth.ts";
import { CATALOGUE_PATH, UPLOAD_TYPE } from "#app/admin/tools/catalogue/catalogue-upload.ts";
import { FILE_TOO_LARGE } from "#core/catalog/catalogue-file/schemas.ts";
import type { HttpLimits, SharedLimit } from "./http-limits.ts";
import { LARGE_BODY_PATHS, WEBHOOK_PATH } from "./paths.ts";
import type { OwnRefusal } from "./refusals.ts";
import type { RequestScope } from "./request-scope.ts";

const REASONS = {
  408: "the body took too long",
  413: "the body is too long",
  503: "too many bodies are being received",
} as const;

/** A body was not received: it is too long, takes too long, or too many bodies are being received. */
export class BodyRefusedError extends Error {
  readonly refusal: keyof typeof REASONS | OwnRefusal;

  constructor(refusal: keyof typeof REASONS | OwnRefusal, reason?: string) {
    super(reason ?? (typeof refusal === "number" ? REASONS[refusal] : refusal.message));
    this.name = "BodyRefusedError";
    this.refusal = refusal;
  }
}

/** The client closed the connection before the body was complete. */
export class BodyIncompleteError extends Error {
  constructor() {
    super("the client left before the body was complete");
    this.name = "BodyIncompleteError";
  }
}

interface BodyOptions {
  /** Limit on the bytes of this body. */
  most: number;
  /** The refusal of a longer one. */
  tooLong: 413 | OwnRefusal;
  withinMs: number;
  /** The client's address, which has a limit of its own. */
  address: string;
  /**
   * The bytes of the received body count until this answer is sent or its client has left; without it, until they are
   * received.
   */
  countedUntil?: ServerResponse;
  /** The announced bytes count before they arrive, so that one of two bodies that do not fit together is received. */
  countsAnnounced?: boolean;
}

/**
 * Receives whole bodies before a request is handled, so that no handler gets a body that is too long or incomplete.
 *
 * @param inFlight limit on the bytes of all bodies that are being received
 */
function createBodyReader(inFlight: SharedLimit) {
  /** @throws BodyRefusedError, BodyIncompleteError */
  return async (incoming: IncomingMessage, options: BodyOptions): Promise<Buffer> => {
    const announced = Number(incoming.headers["content-length"] ?? 0);
    if (announced > options.most) throw new BodyRefusedError(options.tooLong);
    const chunks: Buffer[] = [];
    const releases: (() => void)[] = [];
    const count = (bytes: number) => {
      const release = inFlight.enter(options.address, bytes);
      if (release) releases.push(release);
      return release !== null;
    };
    const releaseAll = () => {
      for (const release of releases.splice(0)) release();
    };
    if (options.countsAnnounced && !count(announced)) throw new BodyRefusedError(503);
    let timer: NodeJS.Timeout | undefined;
    let length = 0;
    try {
      await new Promise<void>((resolve, reject) => {
        timer = setTimeout(() => reject(new BodyRefusedError(408)), options.withinMs);
        incoming.on("data", (chunk: Buffer) => {
          length += chunk.length;
          if (length > options.most) reject(new BodyRefusedError(options.tooLong));
          else if (!options.countsAnnounced && !count(chunk.length)) reject(new BodyRefusedError(503));
          else chunks.push(chunk);
        });
        incoming.once("end", resolve);
        incoming.once("error", () => reject(new BodyIncompleteError()));
        incoming.once("close", () => {
          if (!incoming.complete) reject(new BodyIncompleteError());
        });
        // The client has left before this began, and nothing of the above happens.
        if (incoming.destroyed) reject(new BodyIncompleteError());
      });
      const body = Buffer.concat(chunks);
      if (options.countedUntil?.closed === false) options.countedUntil.once("close", releaseAll);
      else releaseAll();
      return body;
    } catch (error) {
      releaseAll();
      throw error;
    } finally {
      clearTimeout(timer);
      // Other listeners of the request still hold them.
      chunks.length = 0;
      incoming.removeAllListeners("data");
      // The rest of a refused body is discarded until the connection closes.
      incoming.resume();
    }
  };
}

/** Says why the client of a request may send no long file; null when it may. */
export type FindUploadRefusal = (incoming: IncomingMessage) => Promise<OwnRefusal | null>;

/**
 * Reads bodies with the limits of their path. Uploads share no limit with other bodies, nor do catalogue files, which are
 * received from admins only.
 */
export function createRequestBodyReader(
  limits: HttpLimits,
  shared: (most: number, mostPerAddress: number) => SharedLimit,
  findUploadRefusal?: FindUploadRefusal,
) {
  const readBody = createBodyReader(shared(limits.bodyBytesInFlight, limits.bodyBytesInFlightPerAddress));
  const readUpload = createBodyReader(
    shared(limits.uploadBytesInFlight, limits.uploadBytesInFlightPerAddress),
  );
  const readCatalogue = createBodyReader(
    shared(limits.catalogueBytesInFlight, limits.catalogueBytesInFlight),
  );
  const tooLong = 413;
  const withinMs = limits.requestWithinMs;
  return async (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    { path, address }: RequestScope,
  ): Promise<Buffer> => {
    if (findUploadRefusal && isCatalogueFile(incoming, path, limits)) {
      const refusal = await findUploadRefusal(incoming);
      if (refusal !== null) throw new BodyRefusedError(refusal, "catalogue file of somebody who is no admin");
      return readCatalogue(incoming, {
        most: limits.catalogueBodyBytes,
        tooLong: { status: 413, code: "too-large", message: FILE_TOO_LARGE },
        withinMs: limits.catalogueWithinMs,
        address,
        countedUntil: outgoing,
        countsAnnounced: true,
      });
    }
    if (isUpload(incoming, path, limits))
      return readUpload(incoming, {
        most: limits.uploadBodyBytes,
        tooLong,
        withinMs,
        address,
        countedUntil: outgoing,
      });
    const most = path === WEBHOOK_PATH ? limits.webhookBodyBytes : limits.bodyBytes;
    return readBody(incoming, { most, tooLong, withinMs, address });
  };
}

/** A small form of the admin is no upload, so that uploads which use up their limit do not stop it. */
const isLarge = ({ method, headers }: IncomingMessage, { bodyBytes }: HttpLimits): boolean =>
  method === "POST" && Number(headers["content-length"]) > bodyBytes;

/** The cookie may be invalid: the actor is not known before the body is received. */
function isUpload(incoming: IncomingMessage, path: string, limits: HttpLimits): boolean {
  return isLarge(incoming, limits) && LARGE_BODY_PATHS.has(path) && hasSessionCookie(incoming.headers.cookie);
}

function isCatalogueFile(incoming: IncomingMessage, path: string, limits: HttpLimits): boolean {
  return (
    isLarge(incoming, limits) && path === CATALOGUE_PATH && incoming.headers["content-type"] === UPLOAD_TYPE
  );
}

/** Whether the request says that it has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
