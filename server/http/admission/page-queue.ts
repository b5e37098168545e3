import { setTimeout as delay } from "node:timers/promises";
import { limitKeyOfAddress } from "#core/network.ts";
import { requireRequest } from "../request-scope.ts";
import { FairQueue, NotAdmittedError } from "./fair-queue.ts";
import { HTTP_LIMITS } from "./http-limits.ts";
import { refusalResponse } from "./refuse-request.ts";
import { shareOfAddress } from "./shared-limit.ts";

/**
 * Paths that are not queued: they cost little, or wait for another service: for the payment gateway, which may be the
 * sandbox in this process, or for Google.
 */
const NOT_QUEUED = /^\/(?:api|auth\/diagnostics|checkout|healthz|readyz)(?:\/|$)|^\/tools\/[^/]+\/code$/;
const REFUSAL_DELAY_MS = 1_000;
const ALL_CLIENTS = "all clients";
/** Iterations of the event loop between two renders, in which connections are accepted and small requests answered. */
const ITERATIONS_BETWEEN_RENDERS = 2;
/** Practically no limit: a render waits for nothing, since the data of the page is read before. */
const RENDER_WAIT_MS = 2 ** 31 - 1;

export interface PageQueue {
  /** Runs `answer`: for a page when the queue admits it, for other requests at once. */
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
 * Builds a few pages at a time, in rotation of the client addresses, so that a client that requests thousands of pages
 * delays the others by a few pages only.
 *
 * @param perAddressFactor scales the number of waiting pages of one address; 0: all clients share one queue
 */
export function createPageQueue(perAddressFactor: number): PageQueue {
  const { pagesAtOnce, pagesWaiting, pagesWaitingPerAddress, pageWaitMs } = HTTP_LIMITS;
  const waitingPerClient = shareOfAddress(pagesWaiting, pagesWaitingPerAddress, perAddressFactor);
  const pages = new FairQueue({
    atOnce: pagesAtOnce,
    waiting: pagesWaiting,
    waitingPerClient,
    waitMs: pageWaitMs,
  });
  // The number of waiting renders is limited by `pages`.
  const renders = new FairQueue({
    atOnce: 1,
    waiting: Number.POSITIVE_INFINITY,
    waitingPerClient: Number.POSITIVE_INFINITY,
    waitMs: RENDER_WAIT_MS,
  });
  const clientOf = (address: string) => (perAddressFactor === 0 ? ALL_CLIENTS : limitKeyOfAddress(address));

  return {
    async enter(request, answer) {
      const scope = requireRequest();
      // A post may wait for a password hash or for the gateway. It must not block pages meanwhile.
      const reads = request.method === "GET" || request.method === "HEAD";
      if (!reads || NOT_QUEUED.test(scope.path)) return answer();
      try {
        const release = await pages.enter(clientOf(scope.address), request.signal);
        try {
          return await answer();
        } finally {
          release();
        }
      } catch (error) {
        if (!(error instanceof NotAdmittedError)) throw error;
        if (error.reason !== "left") scope.countRefusal("too many pages at once");
        // Without the delay, a client that retries at once would keep the process busy with refusals.
        if (error.reason === "full")
          await delay(REFUSAL_DELAY_MS, undefined, { signal: request.signal }).catch(() => undefined);
        return refusalResponse(503, request.headers.get("accept") ?? "");
      }
    },
    async waitToRender(signal) {
      const release = await renders.enter(clientOf(requireRequest().address), signal);
      return () => afterLoopIterations(ITERATIONS_BETWEEN_RENDERS, release);
    },
  };
}

function afterLoopIterations(count: number, act: () => void): void {
  if (count === 0) act();
  else setImmediate(() => afterLoopIterations(count - 1, act));
}
