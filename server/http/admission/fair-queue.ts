/** Why a queue took no work: it is full, the wait was too long, or the client has left. */
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
 * Lets a bounded number of tasks run at once. The clients take turns: the tasks of one client wait behind its own
 * earlier ones, and delay another client by one task.
 */
export class FairQueue {
  readonly #options: { atOnce: number; waiting: number; waitingPerClient: number; waitMs: number };
  /** By client, in the order of their turns. */
  readonly #clients = new Map<string, Set<Waiter>>();
  #running = 0;
  #waiting = 0;

  constructor(options: { atOnce: number; waiting: number; waitingPerClient: number; waitMs: number }) {
    this.#options = options;
  }

  /**
   * Waits for a turn of this client.
   *
   * @returns to be called once when the task is done
   * @throws NotAdmittedError
   */
  async enter(client: string, signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) throw new NotAdmittedError("left");
    if (this.#running < this.#options.atOnce) this.#running++;
    else await this.#turnOf(client, signal);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#next();
    };
  }

  #turnOf(client: string, signal: AbortSignal): Promise<void> {
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

  /** Hands the place that became free to the next client in turn. */
  #next(): void {
    const [turn] = this.#clients;
    const [waiter] = turn?.[1] ?? [];
    if (turn === undefined || waiter === undefined) {
      this.#running--;
      return;
    }
    const [client, own] = turn;
    this.#clients.delete(client);
    this.#clients.set(client, own);
    waiter.admit();
  }
}
