import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import pg from "pg";
import { schema } from "./schema.ts";

export type Database = NodePgDatabase<typeof schema>;
export type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0];
/** Either: for queries that run alone as well as inside a transaction. */
export type Executor = Database | Transaction;

/**
 * Opens a pool of connections. Times travel as UTC whatever the server's zone.
 *
 * @param url a postgres:// address
 * @param options.onBrokenConnection told when a connection breaks (the pool replaces it by itself)
 */
export function openDatabase(
  url: string,
  options: { max?: number; applicationName?: string; onBrokenConnection: (error: Error) => void },
): { db: Database; pool: pg.Pool; close(): Promise<void> } {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 10,
    application_name: options.applicationName ?? "daypass",
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  });
  // Without listeners, a connection that breaks while idle, or between two statements of a transaction, would end the
  // process; the statement that needs it fails all the same.
  pool.on("error", options.onBrokenConnection);
  pool.on("connect", (client) => client.on("error", options.onBrokenConnection));
  return { db: drizzle(pool, { schema }), pool, close: () => pool.end() };
}
