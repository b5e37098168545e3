import { FairQueue } from "#core/fair-queue.ts";
import { limitKeyOfAddress } from "#core/network.ts";
import { HTTP_LIMITS } from "./http-limits.ts";
import { refusalResponse } from "./refusals.ts";
import { requireRequest } from "./request-scope.ts";

/**
 * Paths that are not queued: they cost little, or wait for another service: for the payment gateway, which may be the
 * sandbox in this process, or for Google.
 */
const NOT_QUEUED = /^\/(?:api|auth\/diagnostics|checkout|healthz|readyz)(?:\/|$)|^\/tools\/[^/]+\/code$/;
const ALL_CLIENTS = "all clients";
/** Iterations of the event loop between two renders, in which connections are accepted and small requests answered. */
const ITERATIONS_BETWEEN_RENDERS = 2;

export interface PageQueue {
  /** Runs `answer`: for a page when its turn has come, for other requests at once. */
  enter(request: Request, answer: () => Promise<Response>): Promise<Response>;
  /**
   * Waits until the page of the current request may be rendered. A render blocks the process, so pages are rendered one
   * after the other, in rotation of the client addresses.
   *
   * @returns a function to call when the page is rendered
   */
  waitToRender(signal: AbortSignal): Promise<() => void>;
}

/**
 * Builds a few pages at a time, in rotation of the client addresses, so that a client that requests hundreds of pages delays
 * the others by a few pages only. Without it, a visitor waits for all of them; without turns of the renders, for seconds even
 * until the connection is accepted (bench/attacks.ts, "pages, 150 connections"). How many may wait is limited by the requests
 * in flight.
 *
 * @param perAddressFactor 0: all clients share one queue
 */
export function createPageQueue(perAddressFactor: number): PageQueue {
  const pages = new FairQueue(HTTP_LIMITS.pagesAtOnce);
  const renders = new FairQueue(1);
  const client = () => (perAddressFactor === 0 ? ALL_CLIENTS : limitKeyOfAddress(requireRequest().address));

  return {
    async enter(request, answer) {
      // A post may wait for a password hash or for the gateway. It must not block pages meanwhile.
      const reads = request.method === "GET" || request.method === "HEAD";
      if (!reads || NOT_QUEUED.test(requireRequest().path)) return answer();
      const release = await pages.enter(client(), request.signal);
      // Nobody receives it.
      if (release === null) return refusalResponse(503);
      try {
        return await answer();
      } finally {
        release();
      }
    },
    async waitToRender(signal) {
      const release = await renders.enter(client(), signal);
      if (release === null) throw signal.reason;
      return () => afterLoopIterations(ITERATIONS_BETWEEN_RENDERS, release);
    },
  };
}

function afterLoopIterations(count: number, act: () => void): void {
  if (count === 0) act();
  else setImmediate(() => afterLoopIterations(count - 1, act));
}
