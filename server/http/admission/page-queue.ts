import { setTimeout as delay } from "node:timers/promises";
import { networkOf } from "#core/network.ts";
import { requireRequest } from "../request-scope.ts";
import { FairQueue, NotAdmittedError } from "./fair-queue.ts";
import { HTTP_LIMITS } from "./http-limits.ts";
import { refusalResponse } from "./refuse-request.ts";
import { shareOfAddress } from "./shared-limit.ts";

/** No pages: these cost little, or wait for the payment gateway. The sandbox gateway answers from this process. */
const NO_PAGE = /^\/(?:api|checkout|healthz|readyz)(?:\/|$)|^\/tools\/[^/]+\/code$/;
const REFUSAL_DELAY_MS = 1_000;
const EVERYBODY = "everybody";
/** Connections are accepted, and small requests answered, in the turns of the event loop between two renders. */
const TURNS_BETWEEN_RENDERS = 2;
/** As good as for ever: every render before it has a time limit of its own. */
const RENDER_WAIT_MS = 2 ** 31 - 1;

export interface PageQueue {
  /** Makes a page when its client's turn comes; an answer that is no page, at once. */
  make(request: Request, answer: () => Promise<Response>): Promise<Response>;
  /**
   * Waits until the page of the current request may be rendered, which keeps the process busy without a pause. Pages that
   * have their data are rendered one after the other, the addresses in turn.
   *
   * @returns to be called when it is rendered
   */
  renderTurn(signal: AbortSignal): Promise<() => void>;
}

/**
 * Makes pages a few at a time, the addresses in turn, so that whoever asks for thousands delays nobody else by more
 * than a few pages.
 *
 * @param perAddressFactor scales what one address may have waiting; 0: all clients share one queue
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
  // Only answers that are being made get here, so their number is limited already.
  const renders = new FairQueue({
    atOnce: 1,
    waiting: Number.POSITIVE_INFINITY,
    waitingPerClient: Number.POSITIVE_INFINITY,
    waitMs: RENDER_WAIT_MS,
  });
  const clientOf = (address: string) => (perAddressFactor === 0 ? EVERYBODY : networkOf(address));

  return {
    async make(request, answer) {
      const scope = requireRequest();
      // What is posted may wait for a password to be hashed, or for the gateway: that must not hold up pages.
      const reads = request.method === "GET" || request.method === "HEAD";
      if (!reads || NO_PAGE.test(scope.path)) return answer();
      try {
        const release = await pages.enter(clientOf(scope.address), request.signal);
        try {
          return await answer();
        } finally {
          release();
        }
      } catch (error) {
        if (!(error instanceof NotAdmittedError)) throw error;
        if (error.reason !== "left") scope.noteRefusal("too many pages at once");
        // A client that asks again at once would keep the process busy with refusals alone.
        if (error.reason === "full")
          await delay(REFUSAL_DELAY_MS, undefined, { signal: request.signal }).catch(() => undefined);
        return refusalResponse(503, request.headers.get("accept") ?? "");
      }
    },
    async renderTurn(signal) {
      const release = await renders.enter(clientOf(requireRequest().address), signal);
      return () => afterTurnsOfTheLoop(TURNS_BETWEEN_RENDERS, release);
    },
  };
}

function afterTurnsOfTheLoop(turns: number, act: () => void): void {
  if (turns === 0) act();
  else setImmediate(() => afterTurnsOfTheLoop(turns - 1, act));
}
