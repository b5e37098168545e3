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

/**
 * Limits the number of tasks that run at once. It admits waiting tasks in rotation, one of each client: a client with
 * many tasks delays another client by one task at most.
 */
export class FairQueue {
  readonly #atOnce: number;
  /** Waiting tasks by client; each is admitted by a call. The next admitted task is of the first client. */
  readonly #clients = new Map<string, Set<() => void>>();
  #running = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /**
   * Waits until a task of this client is admitted.
   *
   * @returns a function to call when the task is done; null when the client has left before
   */
  async enter(client: string, signal: AbortSignal): Promise<(() => void) | null> {
    if (signal.aborted) return null;
    if (this.#running < this.#atOnce) this.#running++;
    else if (!(await this.#waitForAdmission(client, signal))) return null;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#admitNext();
    };
  }

  /** @returns false when the client has left */
  #waitForAdmission(client: string, signal: AbortSignal): Promise<boolean> {
    const own = this.#clients.get(client) ?? new Set();
    this.#clients.set(client, own);
    return new Promise((resolve) => {
      const end = (isAdmitted: boolean) => {
        signal.removeEventListener("abort", onAbort);
        own.delete(admit);
        if (own.size === 0) this.#clients.delete(client);
        resolve(isAdmitted);
      };
      const admit = () => end(true);
      const onAbort = () => end(false);
      signal.addEventListener("abort", onAbort, { once: true });
      own.add(admit);
    });
  }

  /** Admits a task of the first client, which becomes the last. */
  #admitNext(): void {
    const [first] = this.#clients;
    const [admit] = first?.[1] ?? [];
    if (first === undefined || admit === undefined) {
      this.#running--;
      return;
    }
    const [client, own] = first;
    this.#clients.delete(client);
    this.#clients.set(client, own);
    admit();
  }
}
