import pg from "pg";
import { DatabaseUnavailableError, markConnectionError } from "./database-unavailable.ts";

type Delivered = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error | boolean) => void,
) => void;

export interface PoolSwitch {
  /**
   * Destroys every connection, so that all statements under way fail at once, and refuses new work until `resume`. What
   * waits for a connection is refused too.
   */
  interrupt(): void;
  resume(): void;
  /** When the database last did anything for the pool, as `performance.now()` tells time. */
  lastAnswerAt(): number;
}

/**
 * A pool that can be switched off while the database does not answer. A hung server closes nothing, so without this every
 * statement would wait for its own timeout, and all others in line behind it.
 */
export function createInterruptiblePool(config: pg.PoolConfig): { pool: pg.Pool; poolSwitch: PoolSwitch } {
  const connections = new Set<pg.Client>();
  const waiting = new Set<(error: Error) => void>();
  let interrupted = false;
  let lastAnswerAt = Number.NEGATIVE_INFINITY;

  /** The pool itself tells of a connection only once it is made; one that is being made may hang as well. */
  class KnownClient extends pg.Client {
    constructor(options?: pg.ClientConfig) {
      super(options);
      connections.add(this);
      this.once("end", () => connections.delete(this));
    }
  }
  const pool = new pg.Pool({ ...config, Client: KnownClient });
  pool.on("connect", (client) => {
    lastAnswerAt = performance.now();
    // Before the statements hear of it: the driver hands them the same error, one tick later.
    client.prependListener("error", markConnectionError);
  });
  pool.on("release", (error) => {
    if (!error) lastAnswerAt = performance.now();
  });

  const checkOut: (deliver: Delivered) => void = pool.connect.bind(pool);
  const connect = (deliver: Delivered): void => {
    if (interrupted) {
      process.nextTick(deliver, refusal(), undefined, () => undefined);
      return;
    }
    let open = true;
    const refuse = (error: Error) => {
      open = false;
      waiting.delete(refuse);
      deliver(error, undefined, () => undefined);
    };
    waiting.add(refuse);
    checkOut((error, client, release) => {
      // The one who asked has been refused in the meantime.
      if (!open) return client ? release() : undefined;
      waiting.delete(refuse);
      if (error && !pool.ending) markConnectionError(error);
      deliver(error, client, release);
    });
  };
  Object.assign(pool, {
    connect: (deliver?: Delivered) => {
      if (deliver) return connect(deliver);
      return new Promise((resolve, reject) => {
        connect((error, client) => (error ? reject(error) : resolve(client)));
      });
    },
  });

  return {
    pool,
    poolSwitch: {
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
