import { DomainError } from "#core/errors.ts";
import { FairQueue } from "#core/fair-queue.ts";

export interface HashQueueLimits {
  /** Hashes at the same time in this process. */
  running: number;
  /** Requests that may wait for a hash; further ones are refused. */
  waiting: number;
  /** How long a request may wait. */
  waitMs: number;
}

/**
 * Each hash uses one of the four threads of libuv for about a quarter of a second. Two hashes leave two threads for the
 * compression of answers and the lookup of host names.
 */
export const HASH_LIMITS: HashQueueLimits = { running: 2, waiting: 50, waitMs: 5_000 };

const RETRY_AFTER_SECONDS = 5;

/**
 * Runs a few password hashes at a time. Those that wait run in rotation of the clients. A refused hash is never started.
 *
 * @param clientOf the client that the running code works for
 * @returns a function that runs one hash; @throws DomainError 'sign-in-busy' when too many wait or the wait is too long.
 *   `isFree`: whether a hash would start at once
 */
export function createHashQueue(
  { running, waiting, waitMs }: HashQueueLimits,
  clientOf: () => string = () => "",
) {
  const queue = new FairQueue(running, waiting);
  const run = async <Result>(hash: () => Promise<Result>): Promise<Result> => {
    const release = await queue.enter(clientOf(), AbortSignal.timeout(waitMs));
    if (release === null) throw busy();
    try {
      return await hash();
    } finally {
      release();
    }
  };
  return Object.assign(run, { isFree: () => queue.isFree });
}

export type HashQueue = ReturnType<typeof createHashQueue>;

const busy = () => new DomainError("sign-in-busy", { retryAfterSeconds: RETRY_AFTER_SECONDS });
