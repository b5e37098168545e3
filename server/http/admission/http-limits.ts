export interface HttpLimits {
  /** Requests that wait behind the one being answered on the same connection. */
  readonly waitingPerConnection: number;
  /** A kept-alive connection is closed after this number of requests; the client opens another. */
  readonly requestsPerConnection: number;
  readonly connections: number;
  /** Of one address that is not a trusted proxy; scaled by LIMITS_PER_ADDRESS. */
  readonly connectionsPerAddress: number;
  /** Requests of all connections that are being answered. */
  readonly requestsInFlight: number;
  /** Of one client address; scaled by LIMITS_PER_ADDRESS. */
  readonly requestsInFlightPerAddress: number;
  /** Health checks have a limit of their own, so that they are answered while the shop is busy. */
  readonly healthChecksInFlight: number;
  readonly healthChecksInFlightPerAddress: number;
  /** Event streams stay open, so they have a limit of their own. Each visible tab has one. */
  readonly liveStreams: number;
  /** The part of `liveStreams` that only admins get, so that visitors cannot use up all of them. */
  readonly liveStreamsForAdmins: number;
  /** Of one client address; scaled by LIMITS_PER_ADDRESS. */
  readonly liveStreamsPerAddress: number;

  readonly bodyBytes: number;
  /** The payment gateway's largest events are about 30 KB. */
  readonly webhookBodyBytes: number;
  /** Bytes of all bodies that are being received. */
  readonly bodyBytesInFlight: number;
  /** Of one client address; scaled by LIMITS_PER_ADDRESS. */
  readonly bodyBytesInFlightPerAddress: number;
  /** Webhooks of the gateway have limits of their own. */
  readonly webhookBytesInFlight: number;
  readonly webhookBytesInFlightPerAddress: number;
  /** A catalogue file of 1 MB as a text in JSON, which escapes quotes and line ends, and its fingerprint. */
  readonly uploadBodyBytes: number;
  /** Uploads count until they are answered: one may have 40 times the bytes of any other body. */
  readonly uploadBytesInFlight: number;
  /** Of one client address; scaled by LIMITS_PER_ADDRESS. */
  readonly uploadBytesInFlightPerAddress: number;

  readonly headersWithinMs: number;
  /** Headers and body together. */
  readonly requestWithinMs: number;
  readonly checkConnectionsEveryMs: number;
  /** Without any byte sent or received. Longer than the answers that wait for the payment gateway. */
  readonly idleConnectionMs: number;
  /** Proxies keep an idle connection for 60 seconds and must be the first to close it. */
  readonly keepAliveMs: number;
  /** An answer is written in parts. A client that reads less than one part in this time is too slow. */
  readonly slowReaderMs: number;

  /** Pages that are built at the same time, including their database queries. */
  readonly pagesAtOnce: number;
  readonly pagesWaiting: number;
  /** Of one client address; scaled by LIMITS_PER_ADDRESS. */
  readonly pagesWaitingPerAddress: number;
  readonly pageWaitMs: number;
}

/** What one client, and all clients together, may use of the HTTP server at the same time. Milliseconds and bytes. */
export const HTTP_LIMITS: HttpLimits = {
  waitingPerConnection: 16,
  requestsPerConnection: 1_000,
  connections: 4_000,
  connectionsPerAddress: 500,
  requestsInFlight: 1_000,
  requestsInFlightPerAddress: 250,
  healthChecksInFlight: 200,
  healthChecksInFlightPerAddress: 16,
  liveStreams: 1_500,
  liveStreamsForAdmins: 100,
  liveStreamsPerAddress: 100,

  bodyBytes: 64 * 1024,
  webhookBodyBytes: 256 * 1024,
  bodyBytesInFlight: 32 * 1024 * 1024,
  bodyBytesInFlightPerAddress: 4 * 1024 * 1024,
  webhookBytesInFlight: 32 * 1024 * 1024,
  webhookBytesInFlightPerAddress: 4 * 1024 * 1024,
  uploadBodyBytes: 2.5 * 1024 * 1024,
  uploadBytesInFlight: 10 * 1024 * 1024,
  uploadBytesInFlightPerAddress: 5 * 1024 * 1024,

  headersWithinMs: 15_000,
  requestWithinMs: 30_000,
  checkConnectionsEveryMs: 2_000,
  idleConnectionMs: 45_000,
  keepAliveMs: 65_000,
  slowReaderMs: 60_000,
  pagesAtOnce: 8,
  pagesWaiting: 512,
  pagesWaitingPerAddress: 64,
  pageWaitMs: 4_000,
};

/** The Retry-After of a refusal. */
export const RETRY_AFTER_SECONDS = 2;
