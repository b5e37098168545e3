import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import type pg from "pg";
import { createInterruptiblePool, type PoolSwitch } from "./interruptible-pool.ts";
import { createStatementNamer } from "./named-statements.ts";
import { schema } from "./schema.ts";

export type Database = NodePgDatabase<typeof schema>;
export type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0];
/** Either: for queries that run alone as well as inside a transaction. */
export type Executor = Database | Transaction;

/** A transaction does nothing outside the database, so one that waits this long has lost its process. */
const IDLE_IN_TRANSACTION_MS = 60_000;

/** Waiting for locks included. The shop's own statements take milliseconds, and in a rush seconds. */
const STATEMENT_MS = 30_000;

/**
 * Opens a pool of connections. Times travel as UTC whatever the server's zone.
 *
 * @param url a postgres:// address
 * @param options.onBrokenConnection told when a connection breaks (the pool replaces it by itself)
 * @param options.idleInTransactionMs after which the server ends a connection that waits inside a transaction, and with it
 *   the locks that a half-dead connection would keep for ever
 * @param options.namedStatements whether statements may be prepared: not where a pooler hands connections round
 */
export function openDatabase(
  url: string,
  options: {
    max?: number;
    applicationName?: string;
    idleInTransactionMs?: number;
    namedStatements?: boolean;
    onBrokenConnection: (error: Error) => void;
  },
): { db: Database; pool: pg.Pool; poolSwitch: PoolSwitch; close(): Promise<void> } {
  const { idleInTransactionMs = IDLE_IN_TRANSACTION_MS } = options;
  const { pool, poolSwitch } = createInterruptiblePool({
    connectionString: url,
    max: options.max ?? 10,
    application_name: options.applicationName ?? "daypass",
    // Of waiting in line too: a rush waits, and is not turned away with an error.
    connectionTimeoutMillis: 15_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    // Without it the first probe comes after the system's two hours.
    keepAliveInitialDelayMillis: 10_000,
    // Waited for before the connection is handed out. Not as a start-up parameter: poolers refuse those they do not know.
    onConnect: (client) =>
      client.query(
        `set idle_in_transaction_session_timeout = ${idleInTransactionMs}; set statement_timeout = ${STATEMENT_MS}`,
      ),
  });
  // Without listeners, a connection that breaks while idle, or between two statements of a transaction, would end the
  // process; the statement that needs it fails all the same.
  pool.on("error", options.onBrokenConnection);
  pool.on("connect", (client) => client.on("error", options.onBrokenConnection));
  if (options.namedStatements) pool.on("connect", createStatementNamer(options.onBrokenConnection));
  return { db: drizzle(pool, { schema }), pool, poolSwitch, close: () => pool.end() };
}
