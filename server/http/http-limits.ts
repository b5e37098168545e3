import { MAX_FILE_BYTES, MAX_FINGERPRINT_LENGTH } from "#core/catalog/catalogue-file/schemas.ts";
import { limitKeyOfAddress } from "#core/rate-limits/network.ts";

export interface HttpLimits {
  /** Requests that wait behind the request that is being answered on the same connection. */
  readonly waitingPerConnection: number;
  /** The answer to the last of them closes the connection; the client opens another. */
  readonly requestsPerConnection: number;
  readonly connections: number;
  /** From this number on, each further connection closes one on which the shop answers nothing. */
  readonly connectionsBeforeClosing: number;
  /** A connection that is sending its first request is not closed within this time while an idle one can be closed. */
  readonly newcomerGraceMs: number;
  /** For one address that is not a trusted proxy; scaled by LIMITS_PER_ADDRESS. */
  readonly connectionsPerAddress: number;
  /** Requests of all connections that are being answered, health checks not included. */
  readonly requestsInFlight: number;
  /** For one client address; scaled by LIMITS_PER_ADDRESS. */
  readonly requestsInFlightPerAddress: number;
  /** Event streams stay open, so they have a limit of their own. Each visible tab has a stream. */
  readonly liveStreams: number;
  /** The part of `liveStreams` that only admins get, so that visitors cannot use up all of them. */
  readonly liveStreamsForAdmins: number;
  /** For one client address; scaled by LIMITS_PER_ADDRESS. */
  readonly liveStreamsPerAddress: number;

  readonly bodyBytes: number;
  /** The payment gateway's largest events are about 30 KB. */
  readonly webhookBodyBytes: number;
  /** Bytes of all bodies that are being received, uploads and catalogue files not included. */
  readonly bodyBytesInFlight: number;
  /** For one client address; scaled by LIMITS_PER_ADDRESS. */
  readonly bodyBytesInFlightPerAddress: number;
  /** The texts of the shop, and many access codes at once. */
  readonly uploadBodyBytes: number;
  /** Uploads count until they are answered: one may be 120 times as long as any other body. */
  readonly uploadBytesInFlight: number;
  /** For one client address; scaled by LIMITS_PER_ADDRESS. */
  readonly uploadBytesInFlightPerAddress: number;
  /** A catalogue file with its fingerprint. */
  readonly catalogueBodyBytes: number;
  /** Only admins send them. They count with their announced length until they are answered. */
  readonly catalogueBytesInFlight: number;

  readonly headersWithinMs: number;
  /** Headers and body together. */
  readonly requestWithinMs: number;
  /** The same of a catalogue file, on a slow line. */
  readonly catalogueWithinMs: number;
  readonly checkConnectionsEveryMs: number;
  /** The time without a byte sent or received. Longer than an answer that waits for the payment gateway. */
  readonly idleConnectionMs: number;
  /** Proxies keep an idle connection for 60 seconds and must be the first to close it. */
  readonly keepAliveMs: number;
  /** An answer is written in parts. A client that reads less than one part in this time is too slow. */
  readonly slowReaderMs: number;

  /** Pages that are built at the same time, including their database queries. */
  readonly pagesAtOnce: number;
}

/** What one client, and all clients together, may use of the HTTP server at the same time. Milliseconds and bytes. */
export const HTTP_LIMITS: HttpLimits = {
  waitingPerConnection: 16,
  requestsPerConnection: 1_000,
  connections: 4_000,
  connectionsBeforeClosing: 3_750,
  newcomerGraceMs: 2_000,
  connectionsPerAddress: 500,
  requestsInFlight: 1_000,
  requestsInFlightPerAddress: 250,
  liveStreams: 1_500,
  liveStreamsForAdmins: 100,
  liveStreamsPerAddress: 100,

  bodyBytes: 64 * 1024,
  webhookBodyBytes: 256 * 1024,
  bodyBytesInFlight: 32 * 1024 * 1024,
  bodyBytesInFlightPerAddress: 4 * 1024 * 1024,
  uploadBodyBytes: 8 * 1024 * 1024,
  uploadBytesInFlight: 16 * 1024 * 1024,
  uploadBytesInFlightPerAddress: 8 * 1024 * 1024,
  catalogueBodyBytes: MAX_FILE_BYTES + MAX_FINGERPRINT_LENGTH + 1024,
  catalogueBytesInFlight: MAX_FILE_BYTES + MAX_FINGERPRINT_LENGTH + 1024,

  headersWithinMs: 15_000,
  requestWithinMs: 30_000,
  catalogueWithinMs: 180_000,
  checkConnectionsEveryMs: 2_000,
  idleConnectionMs: 45_000,
  keepAliveMs: 65_000,
  slowReaderMs: 60_000,
  pagesAtOnce: 8,
};

/** The Retry-After of a refusal. */
export const RETRY_AFTER_SECONDS = 2;

export interface SharedLimit {
  /**
   * @param weight how much of the limit is used
   * @returns a function to call once to release it; null when the limit is reached
   */
  enter(address: string, weight?: number): (() => void) | null;
}

/**
 * Limits what is in use at the same time, in total and for each address, so that one address cannot use everything.
 *
 * @param options.perAddressFactor scales the limit of an address; 0 turns it off
 */
export function createSharedLimit(options: {
  most: number;
  mostPerAddress: number;
  perAddressFactor: number;
}): SharedLimit {
  const { most, mostPerAddress, perAddressFactor } = options;
  const share = shareOfAddress(most, mostPerAddress, perAddressFactor);
  const counts = new Map<string, number>();
  let total = 0;
  return {
    enter(address, weight = 1) {
      const client = limitKeyOfAddress(address);
      const own = counts.get(client) ?? 0;
      if (total + weight > most || own + weight > share) return null;
      counts.set(client, own + weight);
      total += weight;
      return () => {
        total -= weight;
        const rest = (counts.get(client) ?? weight) - weight;
        if (rest <= 0) counts.delete(client);
        else counts.set(client, rest);
      };
    },
  };
}

/** The part of `most` that one address may use: its own limit scaled by the factor, or all of it with the factor 0. */
function shareOfAddress(most: number, mostPerAddress: number, perAddressFactor: number): number {
  return perAddressFactor === 0 ? most : Math.max(1, Math.round(mostPerAddress * perAddressFactor));
}
