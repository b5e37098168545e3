import type { IncomingMessage, ServerResponse } from "node:http";
import type { Log } from "#core/context.ts";
import { RETRY_AFTER_SECONDS } from "./http-limits.ts";

const REFUSALS = {
  400: { code: "bad-request", message: "This request could not be read." },
  401: { code: "unauthenticated", message: "This request is not signed." },
  405: { code: "method-not-allowed", message: "This method is not supported." },
  408: { code: "too-slow", message: "The request took too long." },
  413: { code: "too-large", message: "The request is too large." },
  429: { code: "rate-limited", message: "Too many requests. Please try again later." },
  500: { code: "failed", message: "Something went wrong on our side." },
  503: { code: "busy", message: "The shop is busy. Please try again in a few seconds." },
} as const;

export type RefusalStatus = keyof typeof REFUSALS;

/** A refusal that is not one of those above. */
export interface OwnRefusal {
  status: number;
  code: string;
  message: string;
}

/** How long a refused client may continue to send before its connection is closed. */
const SEND_GRACE_MS = 1_000;

interface Refusal {
  headers: Record<string, string>;
  body: string;
}

/** A refusal in the format that the client accepts. It costs much less than a page. */
function describeRefusal(
  status: number,
  { code, message }: Omit<OwnRefusal, "status">,
  accept: string,
): Refusal {
  const build = (type: string, body: string): Refusal => ({
    headers: {
      "content-type": `${type}; charset=utf-8`,
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'",
      "x-content-type-options": "nosniff",
      ...(status === 429 || status === 503 ? { "retry-after": String(RETRY_AFTER_SECONDS) } : {}),
      ...(status === 405 ? { allow: "GET, HEAD, POST" } : {}),
    },
    body,
  });
  if (accept.includes("text/html")) {
    const page = `<!doctype html><html lang="en-IN"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${message}</title><p>${message}</p></html>`;
    return build("text/html", page);
  }
  if (accept.includes("application/json"))
    return build("application/json", JSON.stringify({ code, message }));
  return build("text/plain", message);
}

export function refusalResponse(status: RefusalStatus, accept = ""): Response {
  const { headers, body } = describeRefusal(status, REFUSALS[status], accept);
  return new Response(body, { status, headers });
}

/** Refuses a request before it is handled, and closes the connection. */
export function refuseAndClose(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  refusal: RefusalStatus | OwnRefusal,
): void {
  if (outgoing.headersSent || outgoing.destroyed) return;
  const text = typeof refusal === "number" ? { status: refusal, ...REFUSALS[refusal] } : refusal;
  const { status } = text;
  const { headers, body } = describeRefusal(status, text, incoming.headers.accept ?? "");
  outgoing.shouldKeepAlive = false;
  outgoing.writeHead(status, {
    ...headers,
    "content-length": Buffer.byteLength(body),
  });
  if (incoming.method !== "HEAD") outgoing.write(body);
  if (incoming.complete) return void outgoing.end();
  // A connection that is closed while the client sends is reset, and the client loses the answer.
  const end = () => {
    clearTimeout(timer);
    outgoing.end();
  };
  const timer = setTimeout(end, SEND_GRACE_MS);
  incoming.once("end", end).resume();
}

const LOG_EVERY_MS = 60_000;
/** Addresses that are counted one by one within a minute; further ones are counted together. */
const MAX_ADDRESSES = 1_000;

export interface RefusalLog {
  /** Counts a refused request. `reason` is one of a few fixed texts. */
  count(reason: string, address: string): void;
  /** Logs the counts so far. */
  flush(): void;
}

/**
 * Logs refused requests once a minute: one line for each address and reason, with a count. A client that is refused a
 * thousand times a second must not fill the disk.
 */
export function createRefusalLog(log: Log): RefusalLog {
  const counts = new Map<string, { reason: string; address: string; count: number }>();
  let timer: NodeJS.Timeout | undefined;

  const countOne = (reason: string, address: string): void => {
    const key = `${reason} ${address}`;
    const counted = counts.get(key);
    if (counted) counted.count++;
    else if (counts.size >= MAX_ADDRESSES && address !== "others") countOne(reason, "others");
    else counts.set(key, { reason, address, count: 1 });
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    for (const counted of counts.values()) log.warn(counted, "requests refused in the last minute");
    counts.clear();
  };

  return {
    count(reason, address) {
      countOne(reason, address);
      timer ??= setTimeout(flush, LOG_EVERY_MS).unref();
    },
    flush,
  };
}
