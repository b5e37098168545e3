/** A task was not admitted: the queue is full, the wait was too long, or the client has left. */
export class NotAdmittedError extends Error {
  readonly reason: "full" | "timeout" | "left";

  constructor(reason: "full" | "timeout" | "left") {
    super(`not admitted: ${reason}`);
    this.name = "NotAdmittedError";
    this.reason = reason;
  }
}

interface Waiter {
  admit(): void;
}

/**
 * Limits the number of tasks that run at once. It admits waiting tasks in rotation, one of each client: a client with
 * many tasks delays another client by one task at most.
 */
export class FairQueue {
  readonly #options: { atOnce: number; waiting: number; waitingPerClient: number; waitMs: number };
  /** Waiting tasks by client. The next admitted task is of the first client. */
  readonly #clients = new Map<string, Set<Waiter>>();
  #running = 0;
  #waiting = 0;

  constructor(options: { atOnce: number; waiting: number; waitingPerClient: number; waitMs: number }) {
    this.#options = options;
  }

  /**
   * Waits until a task of this client is admitted.
   *
   * @returns a function to call when the task is done; further calls do nothing
   * @throws NotAdmittedError
   */
  async enter(client: string, signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) throw new NotAdmittedError("left");
    if (this.#running < this.#options.atOnce) this.#running++;
    else await this.#waitForAdmission(client, signal);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#admitNext();
    };
  }

  #waitForAdmission(client: string, signal: AbortSignal): Promise<void> {
    const { waiting, waitingPerClient, waitMs } = this.#options;
    const own = this.#clients.get(client) ?? new Set();
    if (this.#waiting >= waiting || own.size >= waitingPerClient) throw new NotAdmittedError("full");
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        own.delete(waiter);
        if (own.size === 0) this.#clients.delete(client);
        this.#waiting--;
      };
      const giveUp = (reason: "timeout" | "left") => {
        leave();
        reject(new NotAdmittedError(reason));
      };
      const onAbort = () => giveUp("left");
      const timer = setTimeout(() => giveUp("timeout"), waitMs);
      const waiter: Waiter = {
        admit: () => {
          leave();
          resolve();
        },
      };
      signal.addEventListener("abort", onAbort, { once: true });
      own.add(waiter);
      this.#clients.set(client, own);
      this.#waiting++;
    });
  }

  /** Admits a task of the first client, which becomes the last. */
  #admitNext(): void {
    const [first] = this.#clients;
    const [waiter] = first?.[1] ?? [];
    if (first === undefined || waiter === undefined) {
      this.#running--;
      return;
    }
    const [client, own] = first;
    this.#clients.delete(client);
    this.#clients.set(client, own);
    waiter.admit();
  }
}
