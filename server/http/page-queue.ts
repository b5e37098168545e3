import { networkOf } from "#core/network.ts";
import { FairQueue, NotAdmittedError } from "./fair-queue.ts";
import { HTTP_LIMITS } from "./limits.ts";
import { refusalResponse } from "./refuse-request.ts";
import { requireRequest } from "./request-scope.ts";

/** Answers that are not pages: they cost little, or wait for the gateway, whose test version answers from this process. */
const NO_PAGE = /^\/(?:api|checkout|healthz|readyz)(?:\/|$)|^\/tools\/[^/]+\/code$/;
const EVERYBODY = "everybody";

/**
 * Makes pages a few at a time, the addresses in turn, so that whoever asks for thousands delays nobody else by more
 * than a few pages.
 *
 * @param perAddressFactor scales what one address may have waiting; 0 tells no addresses apart
 */
export function createPageQueue(perAddressFactor: number) {
  const { pagesAtOnce, pagesWaiting, pagesWaitingPerAddress, pageWaitMs } = HTTP_LIMITS;
  const queue = new FairQueue({
    atOnce: pagesAtOnce,
    waiting: pagesWaiting,
    waitingPerClient:
      perAddressFactor === 0
        ? pagesWaiting
        : Math.max(1, Math.round(pagesWaitingPerAddress * perAddressFactor)),
    waitMs: pageWaitMs,
  });

  return async (request: Request, answer: () => Promise<Response>): Promise<Response> => {
    const scope = requireRequest();
    const reads = request.method === "GET" || request.method === "HEAD";
    if (!reads || NO_PAGE.test(scope.path)) return answer();
    try {
      const client = perAddressFactor === 0 ? EVERYBODY : networkOf(scope.address);
      const release = await queue.enter(client, request.signal);
      try {
        return await answer();
      } finally {
        release();
      }
    } catch (error) {
      if (!(error instanceof NotAdmittedError)) throw error;
      scope.noteRefusal("too many pages at once");
      return refusalResponse(503, request.headers.get("accept") ?? "");
    }
  };
}
