import { DomainError } from "#core/errors.ts";

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
 * Runs a few password hashes at a time, in the order of arrival. A refused hash is never started.
 *
 * @returns a function that runs one hash; @throws DomainError 'sign-in-busy' when the queue is full or the wait too
 *   long. `isFree`: whether a hash would start at once
 */
export function createHashQueue({ running, waiting, waitMs }: HashQueueLimits) {
  const queue = new Set<() => void>();
  let active = 0;

  function waitForTurn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        queue.delete(start);
        reject(busy());
      }, waitMs);
      queue.add(start);
    });
  }

  const run = async <Result>(hash: () => Promise<Result>): Promise<Result> => {
    if (active < running) active += 1;
    else if (queue.size < waiting) await waitForTurn();
    else throw busy();
    try {
      return await hash();
    } finally {
      const [next] = queue;
      if (next === undefined) active -= 1;
      else {
        // The next request in the queue runs, and not one that arrives at this moment.
        queue.delete(next);
        next();
      }
    }
  };
  return Object.assign(run, { isFree: () => active < running });
}

export type HashQueue = ReturnType<typeof createHashQueue>;

const busy = () => new DomainError("sign-in-busy", { retryAfterSeconds: RETRY_AFTER_SECONDS });
