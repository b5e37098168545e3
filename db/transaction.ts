import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import { type Database, type Executor, openedDatabase, type Transaction } from "./database.ts";
import { type SchemaTable, schema, type TableName } from "./schema.ts";

const RETRYABLE = new Set(["40001", "40P01"]);
const MAX_RETRIES = 3;

/** The SQLSTATE of an error or of one of its causes, if there is one. */
function sqlState(error: unknown): string | undefined {
  let current: unknown = error;
  while (current instanceof Error) {
    if ("code" in current && typeof current.code === "string" && /^[0-9A-Z]{5}$/.test(current.code))
      return current.code;
    current = current.cause;
  }
  return undefined;
}

export const isUniqueViolation = (error: unknown): boolean => sqlState(error) === "23505";

/** Two ranges would overlap that must not. */
export const isExclusionViolation = (error: unknown): boolean => sqlState(error) === "23P01";

/** A value does not fit its column or breaks a check of it, so that another attempt fails as well. */
export const isInvalidDataError = (error: unknown): boolean => /^(22|23514)/.test(sqlState(error) ?? "");

/** The name of the constraint that an error of Postgres reports, if any. */
export function violatedConstraint(error: unknown): string | undefined {
  let current: unknown = error;
  while (current instanceof Error) {
    if ("constraint" in current && typeof current.constraint === "string") return current.constraint;
    current = current.cause;
  }
  return undefined;
}

const NAMES = new Map<SchemaTable, TableName>();
for (const name of Object.keys(schema) as TableName[]) NAMES.set(schema[name], name);

interface OpenTransaction {
  /** The query builder of the connection that the transaction has. */
  connection: Database;
  namesStatements: boolean;
  changes: Set<TableName>;
}

const transactions = new WeakMap<Executor, OpenTransaction>();
const connections = new WeakMap<pg.PoolClient, Database>();

/** The query builder whose statements run on the connection of a transaction; for a database it is the database. */
export function connectionOf(executor: Executor): { connection: Database; namesStatements: boolean } {
  return transactions.get(executor) ?? { connection: executor as Database, ...openedDatabase(executor) };
}

/**
 * Says that the statements before this call have written these tables. Live updates and the stored pages of visitors
 * depend on it. In a transaction it counts when the transaction commits; outside of one it counts at once.
 */
export function changed(executor: Executor, ...tables: SchemaTable[]): void {
  const names = tables.flatMap((table) => NAMES.get(table) ?? []);
  const transaction = transactions.get(executor);
  if (transaction) for (const name of names) transaction.changes.add(name);
  else openedDatabase(executor).onChanged(new Set(names));
}

/** Runs `work` in a transaction on one connection of the pool, and tells what it has changed when it is committed. */
async function runOnConnection<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const { pool, namesStatements, onChanged } = openedDatabase(db);
  const client = await pool.connect();
  const connection = connections.get(client) ?? drizzle(client, { schema });
  connections.set(client, connection);
  const changes = new Set<TableName>();
  let isDone = false;
  const tell = () => changes.size > 0 && onChanged(changes);
  try {
    const result = await connection.transaction(async (tx) => {
      transactions.set(tx, { connection, namesStatements, changes });
      const found = await work(tx);
      isDone = true;
      return found;
    });
    tell();
    return result;
  } catch (error) {
    // The commit was sent, and its answer was lost: it may have been done.
    if (isDone && !isRefusedByServer(error)) tell();
    throw error;
  } finally {
    client.release();
  }
}

function isRefusedByServer(error: unknown): boolean {
  return error instanceof Error && (error instanceof pg.DatabaseError || isRefusedByServer(error.cause));
}

/**
 * Runs `work` in one transaction (read committed). Deadlocks and serialisation failures are retried up to three times
 * with jitter, so `work` must have no effects outside the database.
 */
export async function inTransaction<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await runOnConnection(db, work);
    } catch (error) {
      if (attempt >= MAX_RETRIES || !RETRYABLE.has(sqlState(error) ?? "")) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 25 * 2 ** attempt));
    }
  }
}

/**
 * Runs `work` in a savepoint, so that its failure undoes only what it has done and does not abort the whole transaction. With a
 * database it is a transaction without retries.
 */
export async function inSavepoint<T>(executor: Executor, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const outer = transactions.get(executor);
  if (!outer) return runOnConnection(executor as Database, work);
  const changes = new Set<TableName>();
  const result = await executor.transaction((tx) => {
    transactions.set(tx, { ...outer, changes });
    return work(tx);
  });
  for (const name of changes) outer.changes.add(name);
  return result;
}

/** Runs `work`, which only reads, in a transaction that sees the database as it is at one moment. It locks no row. */
export async function inSnapshot<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return db.transaction(work, { isolationLevel: "repeatable read", accessMode: "read only" });
}
