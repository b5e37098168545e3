/**
 * Runs `work` for each item, at most `concurrency` at a time, so that slow external calls do not take all connections of
 * the shop. The first item runs alone, so that an unavailable service is called once and not `concurrency` times.
 *
 * @param work returns false to stop: running calls finish, no new one starts
 * @param onError called for an item whose work throws; the other items continue
 */
export async function forEachWithConcurrency<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<boolean>,
  onError: (error: unknown, item: Item) => void,
): Promise<void> {
  const attempt = async (item: Item) => {
    try {
      return await work(item);
    } catch (error) {
      onError(error, item);
      return true;
    }
  };
  const [first, ...others] = items;
  if (first === undefined || !(await attempt(first))) return;
  const remaining = others.values();
  let stopped = false;
  const runWorker = async () => {
    for (const item of remaining) {
      if (stopped) return;
      if (!(await attempt(item))) stopped = true;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, runWorker));
}

/**
 * Limits the number of tasks that run at once. It admits waiting tasks in rotation, one of each client: a client with
 * many tasks delays another client by one task at most. When too many wait, the client with most of them loses its
 * latest one to a client with fewer.
 */
export class FairQueue {
  readonly #atOnce: number;
  readonly #mostWaiting: number;
  /** Waiting tasks by client; `true` admits one and `false` refuses it. The next admitted task is of the first client. */
  readonly #clients = new Map<string, Set<(isAdmitted: boolean) => void>>();
  #running = 0;

  constructor(atOnce: number, mostWaiting = Number.POSITIVE_INFINITY) {
    this.#atOnce = atOnce;
    this.#mostWaiting = mostWaiting;
  }

  /** Whether a task would be admitted at once. */
  get isFree(): boolean {
    return this.#running < this.#atOnce;
  }

  /**
   * Waits until a task of this client is admitted.
   *
   * @param signal ends the wait
   * @returns a function to call when the task is done; null when the wait has ended before, or too many wait
   */
  async enter(client: string, signal: AbortSignal): Promise<(() => void) | null> {
    if (signal.aborted) return null;
    if (this.isFree) this.#running++;
    else if (!(await this.#waitForAdmission(client, signal))) return null;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#admitNext();
    };
  }

  /** @returns false when the task was refused */
  async #waitForAdmission(client: string, signal: AbortSignal): Promise<boolean> {
    if (!this.#makeRoomFor(client)) return false;
    const own = this.#clients.get(client) ?? new Set();
    this.#clients.set(client, own);
    return new Promise((resolve) => {
      const end = (isAdmitted: boolean) => {
        signal.removeEventListener("abort", onAbort);
        own.delete(end);
        if (own.size === 0) this.#clients.delete(client);
        resolve(isAdmitted);
      };
      const onAbort = () => end(false);
      signal.addEventListener("abort", onAbort, { once: true });
      own.add(end);
    });
  }

  /** @returns false when no client has more waiting tasks than this one would have */
  #makeRoomFor(client: string): boolean {
    const all = [...this.#clients.values()];
    if (all.reduce((sum, { size }) => sum + size, 0) < this.#mostWaiting) return true;
    const [longest] = all.sort((a, b) => b.size - a.size);
    const own = this.#clients.get(client)?.size ?? 0;
    if (longest === undefined || longest.size <= own + 1) return false;
    [...longest].at(-1)?.(false);
    return true;
  }

  /** Admits a task of the first client, which becomes the last. */
  #admitNext(): void {
    const [first] = this.#clients;
    const [end] = first?.[1] ?? [];
    if (first === undefined || end === undefined) {
      this.#running--;
      return;
    }
    const [client, own] = first;
    this.#clients.delete(client);
    this.#clients.set(client, own);
    end(true);
  }
}
