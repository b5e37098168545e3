import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import pg from "pg";
import { markConnectionError } from "./database-unavailable.ts";
import { createInterruptiblePool, type PoolInterrupter } from "./interruptible-pool.ts";
import { schema, type TableName } from "./schema.ts";

export type Database = NodePgDatabase<typeof schema>;
export type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0];
/** The database or a transaction, for queries that run in either. */
export type Executor = Database | Transaction;

/**
 * A transaction waits for nothing outside the database, so the process of a transaction that is idle this long has ended or
 * hangs.
 */
const IDLE_IN_TRANSACTION_MS = 60_000;

/** Includes waiting for locks. The shop's statements take milliseconds, and seconds under high load. */
const STATEMENT_MS = 30_000;

interface OpenedDatabase {
  pool: pg.Pool;
  namesStatements: boolean;
  onChanged(tables: ReadonlySet<TableName>): void;
}

const databases = new WeakMap<Executor, OpenedDatabase>();

/** What `openDatabase` was called with. @throws for a transaction that `inTransaction` did not open */
export function openedDatabase(executor: Executor): OpenedDatabase {
  const opened = databases.get(executor);
  if (!opened) throw new Error("neither a database of openDatabase nor a transaction of inTransaction");
  return opened;
}

/**
 * Opens a pool of connections. Times are UTC whatever the time zone of the server.
 *
 * @param url a postgres:// address
 * @param options.onBrokenConnection called when a connection breaks; the pool replaces it
 * @param options.idleInTransactionMs after this time the server ends a connection that is idle in a transaction, and
 *   releases its locks
 * @param options.namesStatements whether the statements of the checkout have names; false behind a pooler that shares
 *   connections
 * @param options.onChanged called with the tables that a committed transaction has changed; must not throw
 */
export function openDatabase(
  url: string,
  options: {
    max?: number;
    applicationName?: string;
    idleInTransactionMs?: number;
    namesStatements?: boolean;
    onChanged?: (tables: ReadonlySet<TableName>) => void;
    onBrokenConnection: (error: Error) => void;
  },
): { db: Database; pool: pg.Pool; poolInterrupter: PoolInterrupter; close(): Promise<void> } {
  const { idleInTransactionMs = IDLE_IN_TRANSACTION_MS } = options;
  const { pool, poolInterrupter } = createInterruptiblePool({
    connectionString: url,
    max: options.max ?? 10,
    application_name: options.applicationName ?? "daypass",
    // Includes waiting for a free connection: under high load a statement waits and does not fail at once.
    connectionTimeoutMillis: 15_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    // The system's default is two hours.
    keepAliveInitialDelayMillis: 10_000,
    // The pool awaits this before a caller gets the connection. Start-up parameters do not work: poolers refuse unknown
    // ones.
    onConnect: (client) =>
      client.query(
        `set idle_in_transaction_session_timeout = ${idleInTransactionMs}; set statement_timeout = ${STATEMENT_MS}`,
      ),
  });
  // Without listeners, a connection that breaks while idle or between two statements of a transaction would end the
  // process. The next statement on it fails in any case.
  pool.on("error", options.onBrokenConnection);
  pool.on("connect", (client) => client.on("error", options.onBrokenConnection));
  const db = drizzle(pool, { schema });
  const { namesStatements = false, onChanged = () => undefined } = options;
  databases.set(db, { pool, namesStatements, onChanged });
  return { db, pool, poolInterrupter, close: () => pool.end() };
}

/**
 * Runs `work` on a connection of its own, for what must not share the pool's: locks and transactions that take minutes.
 *
 * @param url without a pooler
 */
export async function withClient<T>(
  url: string,
  applicationName: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: applicationName });
  // Without a listener, a broken connection would end the process. The next query fails in any case.
  client.on("error", markConnectionError);
  await client.connect().catch((error: unknown) => {
    markConnectionError(error);
    throw error;
  });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
