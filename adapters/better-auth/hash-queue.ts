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

interface Waiting {
  start(): void;
  refuse(): void;
}

/**
 * Runs a few password hashes at a time. Those that wait run in rotation of the clients, so that a client with many attempts
 * delays the others by one of them. When too many wait, the client with most of them loses its latest one. A refused hash is
 * never started.
 *
 * @param clientOf the client that the running code works for
 * @returns a function that runs one hash; @throws DomainError 'sign-in-busy' when too many wait or the wait is too long.
 *   `isFree`: whether a hash would start at once
 */
export function createHashQueue(
  { running, waiting, waitMs }: HashQueueLimits,
  clientOf: () => string = () => "",
) {
  /** The next one to run is of the first client, which then becomes the last. */
  const clients = new Map<string, Set<Waiting>>();
  let active = 0;

  function makeRoomFor(client: string): void {
    const sizeOf = (of: string) => clients.get(of)?.size ?? 0;
    let all = 0;
    let longest = client;
    for (const [other, { size }] of clients) {
      all += size;
      if (size > sizeOf(longest)) longest = other;
    }
    if (all < waiting) return;
    if (sizeOf(longest) <= sizeOf(client) + 1) throw busy();
    [...(clients.get(longest) ?? [])].at(-1)?.refuse();
  }

  function waitForTurn(client: string): Promise<void> {
    makeRoomFor(client);
    return new Promise((resolve, reject) => {
      const own = clients.get(client) ?? new Set();
      clients.set(client, own);
      const leave = () => {
        clearTimeout(timer);
        own.delete(one);
        if (own.size === 0) clients.delete(client);
      };
      const one: Waiting = {
        start: () => {
          leave();
          resolve();
        },
        refuse: () => {
          leave();
          reject(busy());
        },
      };
      const timer = setTimeout(one.refuse, waitMs);
      own.add(one);
    });
  }

  function startNext(): void {
    const [first] = clients;
    const [next] = first?.[1] ?? [];
    if (first === undefined || next === undefined) {
      active -= 1;
      return;
    }
    const [client, own] = first;
    clients.delete(client);
    clients.set(client, own);
    next.start();
  }

  const run = async <Result>(hash: () => Promise<Result>): Promise<Result> => {
    if (active < running) active += 1;
    else await waitForTurn(clientOf());
    try {
      return await hash();
    } finally {
      // One that waits runs, and not one that arrives at this moment.
      startNext();
    }
  };
  return Object.assign(run, { isFree: () => active < running });
}

export type HashQueue = ReturnType<typeof createHashQueue>;

const busy = () => new DomainError("sign-in-busy", { retryAfterSeconds: RETRY_AFTER_SECONDS });
