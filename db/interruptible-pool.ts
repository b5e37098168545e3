import pg from "pg";
import { DatabaseUnavailableError, markConnectionError } from "./database-unavailable.ts";

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error | boolean) => void,
) => void;

export interface PoolInterrupter {
  /**
   * Destroys every connection, so that all running statements fail at once, and refuses new work until `resume`. Work
   * that waits for a connection is refused too.
   */
  interrupt(): void;
  resume(): void;
  /** When the database last answered the pool, as a `performance.now()` time. */
  lastAnswerAt(): number;
}

/**
 * Creates a pool that can be switched off while the database does not answer. A hung server closes no connection, so
 * every statement would otherwise wait for its timeout, and all others would wait for a free connection.
 */
export function createInterruptiblePool(config: pg.PoolConfig): {
  pool: pg.Pool;
  poolInterrupter: PoolInterrupter;
} {
  const connections = new Set<pg.Client>();
  const waiting = new Set<(error: Error) => void>();
  let interrupted = false;
  let lastAnswerAt = Number.NEGATIVE_INFINITY;

  /** Registers its connection at once. The pool reports a connection only once it is made, and making it may hang. */
  class RegisteredClient extends pg.Client {
    constructor(options?: pg.ClientConfig) {
      super(options);
      connections.add(this);
      this.once("end", () => connections.delete(this));
    }
  }
  const pool = new pg.Pool({ ...config, Client: RegisteredClient });
  pool.on("connect", (client) => {
    lastAnswerAt = performance.now();
    // Marks the error before the statements get it: the driver rejects them with the same error one tick later.
    client.prependListener("error", markConnectionError);
  });
  pool.on("release", (error) => {
    if (!error) lastAnswerAt = performance.now();
  });

  const poolConnect: (callback: ConnectCallback) => void = pool.connect.bind(pool);
  const connect = (callback: ConnectCallback): void => {
    if (interrupted) {
      process.nextTick(callback, refusal(), undefined, () => undefined);
      return;
    }
    let open = true;
    const refuse = (error: Error) => {
      open = false;
      waiting.delete(refuse);
      callback(error, undefined, () => undefined);
    };
    waiting.add(refuse);
    poolConnect((error, client, release) => {
      // The caller was refused meanwhile.
      if (!open) return client ? release() : undefined;
      waiting.delete(refuse);
      if (error && !pool.ending) markConnectionError(error);
      callback(error, client, release);
    });
  };
  Object.assign(pool, {
    connect: (callback?: ConnectCallback) => {
      if (callback) return connect(callback);
      return new Promise((resolve, reject) => {
        connect((error, client) => (error ? reject(error) : resolve(client)));
      });
    },
  });

  return {
    pool,
    poolInterrupter: {
      interrupt() {
        interrupted = true;
        const error = refusal();
        for (const refuse of [...waiting]) refuse(error);
        for (const client of [...connections]) client.connection.stream.destroy(error);
      },
      resume() {
        interrupted = false;
      },
      lastAnswerAt: () => lastAnswerAt,
    },
  };
}

function refusal(): DatabaseUnavailableError {
  return new DatabaseUnavailableError("the database does not answer");
}
